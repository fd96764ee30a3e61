// The limit of one Node.js process: it responds, and does nothing else.
import { serve } from './answer.mjs';

serve((item) => item);
