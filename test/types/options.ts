import { dirname, join, resolve } from 'node:path'
import type ts from 'typescript'

export const root = resolve(import.meta.dirname, '../..')

const configFile = join(root, 'tsconfig.json')

/** The options that everything here is checked with, as `compiler` reads them. */
export const readOptions = (compiler: typeof ts): ts.CompilerOptions => {
  const { config } = compiler.readConfigFile(configFile, compiler.sys.readFile)
  return compiler.parseJsonConfigFileContent(config, compiler.sys, dirname(configFile)).options
}
