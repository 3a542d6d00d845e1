import { join } from 'node:path'
import ts from 'typescript'
import { readOptions, root } from './options.js'
import { undocumentedOf } from './undocumented.js'

const options = readOptions(ts)

/** What stands behind each subpath, as the configuration of the compiler has it. */
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(options.paths ?? {}).map(([subpath, [file = '']]) => [subpath, join(root, file)]),
)

/** Every subpath of the package, such as `claviger/sqlite`. */
export const subpaths: readonly string[] = Object.keys(entries)

const program = ts.createProgram(Object.values(entries), options)
const checker = program.getTypeChecker()

const original = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** A name that a subpath exports. */
export interface PublicName {
  readonly name: string
  readonly isValue: boolean
  readonly isType: boolean
  readonly docstring: string
}

const exportsOf = (subpath: string): readonly ts.Symbol[] => {
  const source = program.getSourceFile(entries[subpath] ?? '')
  const module = source && checker.getSymbolAtLocation(source)
  return module ? checker.getExportsOfModule(module) : []
}

/** What `subpath` exports, sorted by name. */
export const namesOf = (subpath: string): readonly PublicName[] =>
  exportsOf(subpath)
    .map((exported) => {
      const symbol = original(exported)
      // What is exported by `export type` is a type, whatever it is where it was declared.
      const isTypeOnly = exported.declarations?.some(ts.isTypeOnlyExportDeclaration) ?? false
      return {
        name: exported.name,
        isValue: !isTypeOnly && (symbol.flags & ts.SymbolFlags.Value) !== 0,
        isType: (symbol.flags & ts.SymbolFlags.Type) !== 0,
        docstring: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      }
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))

const printed = (type: ts.Type): string =>
  checker.typeToString(
    type,
    undefined,
    ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope,
  )

/** How an editor shows the methods of `iam`: by name, a line for each overload. */
export const methodsOfIam = (): ReadonlyMap<string, readonly string[]> => {
  const iam = exportsOf('claviger').find(({ name }) => name === 'Iam')
  const methods = new Map<string, readonly string[]>()
  const visit = (path: string, type: ts.Type): void => {
    const signatures = type.getCallSignatures()
    if (signatures.length > 0)
      methods.set(
        path,
        signatures.map((signature) => checker.signatureToString(signature)),
      )
    else
      for (const [name, member] of membersOf(type)) visit(path ? `${path}.${name}` : name, member)
  }
  if (iam) visit('', checker.getDeclaredTypeOfSymbol(original(iam)))
  return methods
}

const membersOf = (type: ts.Type): readonly (readonly [string, ts.Type])[] =>
  type.getProperties().map((member) => [member.name, checker.getTypeOfSymbol(member)])

/** How an editor shows the fields of a type that `claviger` exports, by name. */
export const fieldsOf = (name: string): ReadonlyMap<string, string> => {
  const symbol = exportsOf('claviger').find((exported) => exported.name === name)
  const type = symbol && checker.getDeclaredTypeOfSymbol(original(symbol))
  return new Map(type && membersOf(type).map(([field, of]) => [field, printed(of)]))
}

const isOwn = ({ fileName }: ts.SourceFile): boolean =>
  fileName.startsWith(join(root, 'src')) && !fileName.endsWith('/transport/wire.ts')

/** A type that a subpath exports, and what of it this package declares. */
export interface PublicType {
  readonly name: string
  readonly typeParameters: number
  /** Without those that can only be one text, such as a `kind`, which say themselves what they are. */
  readonly fields: readonly string[]
  /** Those of `fields` that several members of a union declare, each for itself. */
  readonly ofSeveral: ReadonlySet<string>
}

const isOfSeveral = ({ declarations = [] }: ts.Symbol): boolean => declarations.length > 1

const isOwnField = (field: ts.Symbol): boolean => {
  const type = checker.getTypeOfSymbol(field)
  const tells = type.isUnion() && isOfSeveral(field) ? type.types : [type]
  return (
    (field.declarations ?? []).some((declaration) => isOwn(declaration.getSourceFile())) &&
    !tells.every((one) => one.isStringLiteral()) &&
    // Those that a symbol names, and those that are private, nobody points at.
    !/^(__@|#)/.test(field.name)
  )
}

const typeParametersOf = ({ declarations = [] }: ts.Symbol): number =>
  declarations.find(ts.isInterfaceDeclaration)?.typeParameters?.length ??
  declarations.find(ts.isTypeAliasDeclaration)?.typeParameters?.length ??
  0

/** The types that `subpath` exports. */
export const typesOf = (subpath: string): readonly PublicType[] =>
  exportsOf(subpath)
    .map((exported) => [exported.name, original(exported)] as const)
    .filter(([, symbol]) => symbol.flags & ts.SymbolFlags.Type)
    .map(([name, symbol]) => {
      const fields = checker.getDeclaredTypeOfSymbol(symbol).getProperties().filter(isOwnField)
      return {
        name,
        typeParameters: typeParametersOf(symbol),
        fields: fields.map((field) => field.name),
        ofSeveral: new Set(fields.filter(isOfSeveral).map((field) => field.name)),
      }
    })

/** The functions that `subpath` exports, and how many signatures each has. */
export const functionsOf = (subpath: string): ReadonlyMap<string, number> =>
  new Map(
    exportsOf(subpath)
      .map((exported) => [exported.name, original(exported)] as const)
      .filter(([, symbol]) => symbol.flags & ts.SymbolFlags.Value)
      .map(
        ([name, symbol]) =>
          [name, checker.getTypeOfSymbol(symbol).getCallSignatures().length] as const,
      )
      .filter(([, signatures]) => signatures > 0),
  )

/** The members without a docstring that any of the names of `subpath` leads to. */
export const undocumentedIn = (subpath: string): readonly string[] =>
  undocumentedOf(checker, exportsOf(subpath).map(original), isOwn)

const example = join(root, 'test/types/example.ts')

/** `source`, which may import the package, in a program of its own. */
const programOf = (source: string): ts.Program => {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === example || fileExists(path)
  host.getSourceFile = (path, ...rest) =>
    path === example
      ? ts.createSourceFile(path, source, ts.ScriptTarget.ESNext)
      : (program.getSourceFile(path) ?? getSourceFile(path, ...rest))
  return ts.createProgram([example], options, host)
}

/** What the compiler objects to in `source`, which may import the package. */
export const objectionsTo = (source: string): readonly string[] => {
  const made = programOf(source)
  return ts
    .getPreEmitDiagnostics(made, made.getSourceFile(example))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/** The members without a docstring that any of the names that `source` exports leads to. */
export const undocumentedOfSource = (source: string): readonly string[] => {
  const made = programOf(source)
  const file = made.getSourceFile(example)
  const module = file && made.getTypeChecker().getSymbolAtLocation(file)
  const names = module ? made.getTypeChecker().getExportsOfModule(module) : []
  return undocumentedOf(made.getTypeChecker(), names, ({ fileName }) => fileName === example)
}
