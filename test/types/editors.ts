import compiler6, { type CompilerOptions } from 'typescript'
import compiler5 from 'typescript-5.9'
import type { Editor } from './editor.js'
import { languageServer } from './language-server.js'
import { languageService } from './language-service.js'

type OpenEditor = readonly [version: string, open: (overrides?: CompilerOptions) => Promise<Editor>]

/** The versions of TypeScript that the package supports. */
export const EDITORS: readonly OpenEditor[] = [
  // Its interface is that of version 6, of which the tests use what both have.
  [
    '5.9',
    async (overrides) => languageService(compiler5 as unknown as typeof compiler6, overrides),
  ],
  ['6.0', async (overrides) => languageService(compiler6, overrides)],
  ['7.0', languageServer],
]
