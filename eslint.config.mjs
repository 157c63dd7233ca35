import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      'node_modules/**',
      'data/**',
      'eslint.config.mjs',
      'scripts/**',
      'test/bench/**',
      'test/library/**',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Nest needs the class at run time wherever it is an injection token: auto-fixing to `import type` breaks it.
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 6],
      eqeqeq: 'error',
    },
  },
  {
    // The walk reaches time, chance and disk through ports only, so that a simulation can own them.
    files: ['src/**/*.ts'],
    ignores: [
      'src/main.ts',
      'src/migrate.ts',
      'src/runtime/system-*.ts',
      'src/simulator/**',
      'src/cli/main.ts',
      'src/**/*.spec.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take the time from the Clock port.' },
        { object: 'Math', property: 'random', message: 'Take chance from the Random port.' },
        { object: 'process', property: 'env', message: 'Settings come from config/env.ts.' },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'Use the Clock port.' },
        { name: 'setInterval', message: 'Use the Clock port.' },
        { name: 'setImmediate', message: 'Use the Clock port.' },
      ],
    },
  },
  {
    // A component's function is mostly its markup.
    files: ['console/src/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 110, skipBlankLines: true, skipComments: true }] },
  },
  {
    // One file a language: who translates wants to see all of it.
    files: ['console/src/i18n/en.ts', 'console/src/i18n/zh-cn.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['test/**/*.ts', 'src/**/*.spec.ts', 'console/src/**/*.spec.ts'],
    rules: {
      'max-lines-per-function': 'off',
      // Answers of the admin API are JSON; a test asserts on what it reads there.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
);
