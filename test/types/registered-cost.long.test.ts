import compiler6 from 'typescript'
import compiler5 from 'typescript-5.9'
import { expect, it } from 'vitest'
import { readOptions, root } from './options.js'

const names = Array.from({ length: 1_000 }, (_, n) => `invoice.do${n}`)
const file = `${root}/test/types/host.ts`

/** A host with 1,000 permissions that asks 300 questions. */
const source = (isRegistered: boolean): string => `
  import { type Context, type DesiredAccess, defineAccess, type Iam } from 'claviger'
  declare const iam: Iam
  declare const context: Context
  const access = defineAccess({
    projects: [{ id: 'invoicing', name: 'Invoicing', roles: [
      { roleKey: 'all', displayName: 'All', permissions: [${names.map((name) => `'${name}'`).join(', ')}] },
    ] }],
  } as const satisfies DesiredAccess)
  ${isRegistered ? "declare module 'claviger' { interface Register { access: typeof access } }" : ''}
  const ada = iam.access.of({ userId: 'u', orgId: 'o', projectId: 'invoicing' })
  export const used = [access,
${names
  .slice(-100)
  .map(
    (name) => `    ada.require('${name}'),
    iam.access.whoHas({ permission: '${name}' }, context),
    iam.access.check({ userId: 'u', projectId: 'invoicing', permission: '${name}' }, context),`,
  )
  .join('\n')}
  ]`

/** What the compiler makes of a program: types, and instantiations of them. No clock decides. */
const costOf = (compiler: typeof compiler6, isRegistered: boolean) => {
  const options = { ...readOptions(compiler), paths: {}, noEmit: true }
  const host = compiler.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  const text = source(isRegistered)
  host.fileExists = (path) => path === file || fileExists(path)
  host.getSourceFile = (path, ...given) =>
    path === file
      ? compiler.createSourceFile(path, text, compiler.ScriptTarget.ESNext)
      : getSourceFile(path, ...given)
  const program = compiler.createProgram([file], options, host)
  const found = program.getSemanticDiagnostics(program.getSourceFile(file))
  expect(found.map(({ messageText }) => messageText)).toEqual([])
  return [program.getInstantiationCount(), program.getTypeCount()] as const
}

it.each([
  ['5.9', compiler5 as unknown as typeof compiler6],
  ['6.0', compiler6],
])(
  '1,000 registered permissions cost TypeScript %s at most 1.6 of what unregistered ones do.',
  (_, compiler) => {
    const [plain, registered] = [costOf(compiler, false), costOf(compiler, true)]
    for (const [index, count] of registered.entries())
      expect(count / (plain[index] ?? 0)).toBeLessThan(1.6)
  },
)
