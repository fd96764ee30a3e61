import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import tseslint from 'typescript-eslint';
import { layers } from './cli/layers.mjs';

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/dist.draft-*/**',
      '**/node_modules/**',
      'coverage/**',
      'results/**',
      'charts/**/templates/**',
      'charts/n8n-load/files/loadtests/**',
      'charts/n8n-tuned/files/recover.cjs',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      // max, min and fallback; docs/names.json has the names that contain such a word.
      'id-denylist': ['error', 'most', 'least', 'usual'],
    },
  },
  {
    files: [
      '**/*.mjs',
      'cli/src/ui/**',
      '{cli,nodes}/*.ts',
      '{test,lab,studies,site,monitoring}/**',
    ],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        module: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
      },
    },
    rules: { 'no-console': 'off' },
  },
  // Which folder of the command may import which.
  layers,
  // A file that the user has named may be a pipe, a device or larger than memory.
  {
    files: ['cli/src/**/*.ts'],
    ignores: [
      ...['linux', 'lab', 'samplers'].map((folder) => `cli/src/${folder}/**`),
      // These read files of the kit, or their own.
      ...['drill/recovery', 'drill/program', 'generators/generator', 'release/upstream'].map(
        (name) => `cli/src/targets/kubernetes/${name}.ts`,
      ),
      'cli/src/targets/process/**',
      'cli/src/targets/url/journal.ts',
      'cli/src/targets/chart/deployed.ts',
      'cli/src/features/study/studies.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "ImportDeclaration[source.value='node:fs'] ImportSpecifier[imported.name='readFileSync']",
          message:
            'Read it with readPlainFile of linux/plain-file, which refuses what is no plain file.',
        },
      ],
    },
  },
  // A test waits for a condition, or says why it waits for a time.
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/wait.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "ImportDeclaration[source.value='node:timers/promises'] > ImportSpecifier[imported.name='setTimeout'], NewExpression[callee.name='Promise'] > ArrowFunctionExpression > CallExpression[callee.name='setTimeout']",
          message:
            'Wait with until or eventually of test/support/wait, or with pause, whose second argument says why.',
        },
      ],
    },
  },
  // Scripts that run with the Node.js of an image.
  {
    files: ['charts/**/*.cjs', 'lab/images/*.cjs', 'studies/**/*.cjs', 'test/**/*.cjs', '*.cjs'],
    languageOptions: {
      globals: {
        __dirname: 'readonly',
        __filename: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        module: 'readonly',
        process: 'readonly',
        require: 'readonly',
      },
    },
    rules: { '@typescript-eslint/no-require-imports': 'off', 'no-console': 'off' },
  },
  // What `n8n-node lint` applies to a package that n8n Cloud does not run ("configWithoutCloudSupport"):
  // the nodes need timers, figures of the process and the disk, which Cloud forbids.
  {
    files: ['nodes/*/**/*.ts', 'credentials/**/*.ts'],
    extends: [n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport],
    rules: {
      // Both want an import from n8n-workflow at run time. n8n 0.x has no NodeConnectionTypes, and
      // nodes/shared/nodeError.ts says why errors are made without n8n's class.
      '@n8n/community-nodes/node-connection-type-literal': 'off',
      '@n8n/community-nodes/require-node-api-error': 'off',
      // Both look for the built files below the sources of a package; test/nodes loads and tests what is built.
      '@n8n/community-nodes/credential-test-required': 'off',
      '@n8n/community-nodes/no-credential-reuse': 'off',
    },
  },
  {
    files: ['credentials/**/*.ts'],
    plugins: { 'n8n-nodes-base': nodesBase },
    rules: {
      ...nodesBase.configs.credentials.rules,
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
      'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
    },
  },
  {
    files: ['nodes/*/**/*.ts'],
    plugins: { 'n8n-nodes-base': nodesBase },
    rules: {
      ...nodesBase.configs.nodes.rules,
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
      // The same reason as for require-node-api-error above.
      'n8n-nodes-base/node-execute-block-wrong-error-thrown': 'off',
    },
  },
  {
    // It shares the folder of its package, and with it ioredis.
    files: ['nodes/QueueMonitor/Once.node.ts'],
    rules: { 'n8n-nodes-base/node-dirname-against-convention': 'off' },
  },
  {
    files: ['nodes/*/package.json'],
    extends: [n8nCommunityNodesPlugin.configs.recommendedWithoutN8nCloudSupport],
    plugins: { 'n8n-nodes-base': nodesBase },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { extraFileExtensions: ['.json'] },
    },
    rules: {
      ...nodesBase.configs.community.rules,
      // The file is one expression.
      '@typescript-eslint/no-unused-expressions': 'off',
      // It wants an e-mail address; the project has none. The author's page is named instead.
      '@n8n/community-nodes/valid-author': 'off',
    },
  },
);
