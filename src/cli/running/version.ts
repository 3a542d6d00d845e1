import { createRequire } from 'node:module'

/** Of the package that this file lies in, in `dist`. */
export const versionOfPackage = (): string =>
  String(createRequire(import.meta.url)('../package.json').version)
