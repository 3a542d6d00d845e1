import ts from 'typescript'

/**
 * Fields and methods without a docstring, as `Type.member`, of what the `names` of a module lead to: by
 * fields, parameters, answers and type arguments. Text that can only be one, such as a `kind`, says
 * itself what it is.
 */
export const undocumentedOf = (
  checker: ts.TypeChecker,
  names: readonly ts.Symbol[],
  isOwn: (file: ts.SourceFile) => boolean,
): readonly string[] => {
  const found = new Set<string>()
  const seen = new Set<ts.Type>()

  const visitSignature = (signature: ts.Signature, path: string): void => {
    const declaration = signature.getDeclaration()
    if (declaration && !isOwn(declaration.getSourceFile())) return
    for (const parameter of signature.getParameters()) {
      visit(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
    }
    visit(signature.getReturnType(), `${path}()`)
  }

  const visitMember = (member: ts.Symbol, path: string): void => {
    if (member.name.startsWith('#')) return
    if (!member.declarations?.some((declaration) => isOwn(declaration.getSourceFile()))) return
    const type = checker.getTypeOfSymbol(member)
    if (!isDocumented(checker, member) && !type.isStringLiteral())
      found.add(`${path}.${member.name}`)
    visit(type, `${path}.${member.name}`)
  }

  const visit = (type: ts.Type, path: string): void => {
    if (seen.has(type)) return
    seen.add(type)
    for (const part of partsOf(checker, type)) visit(part, path)
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return
    const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()]
    for (const signature of signatures) visitSignature(signature, path)
    const own = nameOf(type) ?? path
    for (const member of type.getProperties()) visitMember(member, own)
  }

  for (const symbol of names) {
    if (symbol.flags & ts.SymbolFlags.Type)
      visit(checker.getDeclaredTypeOfSymbol(symbol), symbol.name)
    if (!(symbol.flags & ts.SymbolFlags.Value)) continue
    // Of other values, such as schemas, the types tell.
    for (const signature of checker.getTypeOfSymbol(symbol).getCallSignatures()) {
      visitSignature(signature, symbol.name)
    }
  }
  return [...found].toSorted()
}

const partsOf = (checker: ts.TypeChecker, type: ts.Type): readonly ts.Type[] => [
  ...(type.isUnionOrIntersection() ? type.types : []),
  ...(isReference(type) ? checker.getTypeArguments(type) : []),
]

const isReference = (type: ts.Type): type is ts.TypeReference => 'target' in type

const nameOf = (type: ts.Type): string | undefined =>
  [type.aliasSymbol?.name, type.symbol?.name].find((name) => name && !name.startsWith('__'))

/** Of what is inferred, as from the fields of a schema, the declarations of the package keep no comment. */
const isDocumented = (checker: ts.TypeChecker, member: ts.Symbol): boolean =>
  (member.declarations ?? []).every(
    (declaration) => ts.isTypeElement(declaration) || ts.isClassElement(declaration),
  ) && member.getDocumentationComment(checker).length > 0
