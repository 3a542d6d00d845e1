import compiler6 from 'typescript'
import compiler5 from 'typescript-5.9'
import type { Editor } from './editor.js'
import { languageServer } from './language-server.js'
import { languageService } from './language-service.js'

type OpenEditor = readonly [version: string, open: () => Promise<Editor>]

/** The oldest TypeScript that the package supports, the newest, and that between. */
const ALL: readonly OpenEditor[] = [
  // Its interface is that of version 6, of which the tests use what both have.
  ['5.9', async () => languageService(compiler5 as unknown as typeof compiler6)],
  ['6.0', async () => languageService(compiler6)],
  ['7.0', languageServer],
]

/** All of them in `npm run test:long`; else the newest, which is the fastest. */
export const EDITORS = process.env['LONG'] ? ALL : ALL.slice(-1)
