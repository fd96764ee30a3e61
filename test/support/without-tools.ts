/** A pure test that asks for a tool of the lab finds none, on a machine that has them all too. */
process.env['N8N_TUNED_CACHE'] = '/nonexistent/n8n-tuned';
