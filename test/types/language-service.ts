import type ts from 'typescript'
import type { Editor } from './editor.js'
import { readOptions, root } from './options.js'

const file = `${root}/test/types/host.ts`

/** The language service that comes with the compiler, to version 6. */
export const languageService = (
  compiler: typeof ts,
  overrides: ts.CompilerOptions = {},
): Editor => {
  let source = ''
  let version = 0
  // Without `paths`, names of the package lead to `dist`, as in a host.
  const options = { ...readOptions(compiler), paths: {}, ...overrides }
  const service = compiler.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (path) => (path === file ? String(version) : '1'),
    getScriptSnapshot: (path) => {
      const text = path === file ? source : compiler.sys.readFile(path)
      return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: compiler.getDefaultLibFilePath,
    fileExists: (path) => path === file || compiler.sys.fileExists(path),
    readFile: compiler.sys.readFile,
    readDirectory: compiler.sys.readDirectory,
    directoryExists: compiler.sys.directoryExists,
    getDirectories: compiler.sys.getDirectories,
  })
  const show = (given: string): void => {
    source = given
    version++
  }
  return {
    quickInfo: async (given, positions) => {
      show(given)
      return positions.map((position) => {
        const found = service.getQuickInfoAtPosition(file, position)
        return {
          signature: compiler.displayPartsToString(found?.displayParts),
          documentation: compiler.displayPartsToString(found?.documentation),
        }
      })
    },
    objections: async (given) => {
      show(given)
      const found = [
        ...service.getSyntacticDiagnostics(file),
        ...service.getSemanticDiagnostics(file),
      ]
      return found.map(({ start = 0, length = 0, messageText }) => ({
        line: source.slice(0, start).split('\n').length,
        at: source.slice(start, start + length),
        message: compiler.flattenDiagnosticMessageText(messageText, '\n'),
      }))
    },
    close: async () => service.dispose(),
  }
}
