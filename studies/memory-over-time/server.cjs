// The same response from three kinds of server, FRAMEWORK=basic, express or nest: GET / gets {"ok":true}.
// The frameworks come from the lab's cache: lab/install.sh http-frameworks
const { createRequire } = require('node:module');
const { createServer } = require('node:http');
const { homedir } = require('node:os');
const { join } = require('node:path');

const { FRAMEWORK = 'basic', PORT, N8N_TUNED_CACHE, XDG_CACHE_HOME } = process.env;
const HOST = '127.0.0.1';
const cache = N8N_TUNED_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-tuned');

const { resolve } = createRequire(join(cache, 'npm', 'http-frameworks', 'package.json'));
const load = (name) => import(resolve(name));

const servers = {
  basic: () => {
    createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"ok":true}');
    }).listen(PORT, HOST);
  },

  express: async () => {
    const { default: express } = await load('express');
    express()
      .get('/', (_request, response) => response.json({ ok: true }))
      .listen(Number(PORT), HOST);
  },

  // Decorators are called by hand: plain JavaScript has none.
  nest: async () => {
    await load('reflect-metadata');
    const { Controller, Get, Module } = await load('@nestjs/common');
    const { NestFactory } = await load('@nestjs/core');
    class Home {
      show() {
        return { ok: true };
      }
    }
    Get()(Home.prototype, 'show', Object.getOwnPropertyDescriptor(Home.prototype, 'show'));
    Controller()(Home);
    function App() {} // Any constructor will do as a module.
    Module({ controllers: [Home] })(App);
    const app = await NestFactory.create(App, { logger: ['error', 'warn'] });
    await app.listen(Number(PORT), HOST);
  },
};

void servers[FRAMEWORK]();
