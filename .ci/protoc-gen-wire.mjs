#!/usr/bin/env node
// A plugin of `buf generate`: writes wire.ts, the plain table of every operation that the transport serves. It fails at
// anything of proto3 that the table does not say.
import { ScalarType } from '@bufbuild/protobuf'
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'
import { effectOf, httpRuleOf, isOptional, rulesOf, servedServices } from './protoc-descriptors.mjs'

const TYPES = `/** Where an operation is found, and what it takes and answers. */
export interface WireMethod {
  /** Such as \`claviger.v1.ProjectService\`. */
  readonly service: string
  /** Such as \`GetProject\`. */
  readonly name: string
  readonly isDeprecated?: true
  /** What one call changes: nothing, what one command does, or all that an organization has. */
  readonly effect: 'none' | 'command' | 'organization'
  /** Of REST: \`GET\`, \`PUT\`, \`PATCH\`, \`POST\` or \`DELETE\`. */
  readonly verb?: string
  /** Of REST, with \`{field}\` for each field that it holds. */
  readonly path?: string
  /** Of REST: whether there must be a body. It holds the fields that are neither in the path nor in the query. */
  readonly hasBody?: true
  readonly request: WireMessage
  readonly response: WireMessage
}

export interface WireMessage {
  readonly name: string
  readonly fields: readonly WireField[]
}

export type WireField = WireFieldBase &
  (
    | { readonly kind: 'text' | 'flag' | 'number' | 'sequence' | 'time' | 'mask' | 'value' }
    | { readonly kind: 'enum'; readonly values: readonly WireEnumValue[] }
    | { readonly kind: 'message'; readonly message: WireMessage }
  )

interface WireFieldBase {
  /** In JSON and in the library: \`changeDate\`. */
  readonly name: string
  /** In the .proto file: \`change_date\`. */
  readonly protoName: string
  readonly number: number
  readonly isList?: true
  /** Absent is another value than empty. */
  readonly isOptional?: true
  /** The request must have it. */
  readonly isRequired?: true
  /** In HTTP a query parameter, also where there is a body. */
  readonly inQuery?: true
  /** Fewest characters or items. */
  readonly least?: number
  /** Most characters or items. */
  readonly most?: number
}

export interface WireEnumValue {
  /** In JSON and in the .proto file. */
  readonly name: string
  readonly number: number
  /** In the library; absent where it has none. */
  readonly value?: string
}
`

const KINDS = {
  'google.protobuf.FieldMask': 'mask',
  'google.protobuf.Timestamp': 'time',
  'google.protobuf.Value': 'value',
}
const SCALARS = {
  [ScalarType.BOOL]: 'flag',
  [ScalarType.STRING]: 'text',
  [ScalarType.UINT64]: 'sequence',
  [ScalarType.INT32]: 'number',
}

const kindOf = ({ message, enum: choice, scalar }) => {
  if (choice) return 'enum'
  return message ? (KINDS[message.typeName] ?? 'message') : SCALARS[scalar]
}

/** Lists of these are packed in protobuf. */
const PACKED = ['flag', 'number', 'sequence', 'enum']

/** What the table cannot say of a field; undefined if it says all. */
const objectionTo = (field) => {
  const kind = kindOf(field)
  if (field.fieldKind === 'map') return 'a map'
  if (field.oneof) return 'a part of a oneof'
  if (kind === undefined) return `of the type ${ScalarType[field.scalar]}`
  if (field.fieldKind === 'list' && PACKED.includes(kind)) return 'a packed list'
  if (field.delimitedEncoding) return 'a group'
  return field.enum?.values.some(({ number }) => number < 0)
    ? 'an enum with a negative number'
    : undefined
}

/** @throws Error at a field that the transport would read or write in another way than protobuf */
const refuseUnknown = (messages) => {
  for (const { typeName, fields } of messages)
    for (const field of fields) {
      const objection = objectionTo(field)
      if (objection)
        throw new Error(`${typeName}.${field.name} is ${objection}: wire.ts has no word for it`)
    }
}

/** @throws Error at a field that the transport only reads, or only writes */
const refuseKind = (kind, messages, place) => {
  for (const { typeName, fields } of messages)
    for (const field of fields)
      if (kindOf(field) === kind) throw new Error(`${typeName}.${field.name} is not for ${place}`)
}

/** States have other names in the library, and what stands for no choice has none. */
const enumValueOf = (choice) => {
  const prefix = /State$/.test(choice.name) && choice.sharedPrefix?.toUpperCase()
  return ({ name, number }) => {
    if (!prefix) return { name, number, value: name }
    return number === 0
      ? { name, number }
      : { name, number, value: name.slice(prefix.length).toLowerCase() }
  }
}

const fieldOf = (field) => {
  const { required, least, most, inQuery } = rulesOf(field)
  return {
    name: field.jsonName,
    protoName: field.name,
    number: field.number,
    kind: kindOf(field),
    ...(field.fieldKind === 'list' && { isList: true }),
    ...(isOptional(field) && { isOptional: true }),
    ...(required && { isRequired: true }),
    ...(inQuery && { inQuery: true }),
    ...(least > 0 && { least }),
    ...(most > 0 && { most }),
  }
}

const isMessage = (field) => kindOf(field) === 'message'

/** Every message once, and those within it before it. */
const inOrder = (messages, found = new Set()) => {
  for (const message of messages) {
    inOrder(
      message.fields.filter(isMessage).map((field) => field.message),
      found,
    )
    found.add(message)
  }
  return found
}

/** The object as TypeScript, without the brace at its end. */
const openText = (object) => JSON.stringify(object).slice(0, -1)

const fieldText = (field) => {
  const choice = field.enum
  if (choice) return `${openText(fieldOf(field))},"values":${choice.name}}`
  return isMessage(field)
    ? `${openText(fieldOf(field))},"message":${field.message.name}}`
    : JSON.stringify(fieldOf(field))
}

const methodText = (method) => {
  const rule = httpRuleOf(method)
  const text = openText({
    service: method.parent.typeName,
    name: method.name,
    ...(method.proto.options?.deprecated && { isDeprecated: true }),
    effect: effectOf(method),
    ...(rule && { verb: rule.verb, path: rule.template }),
    ...(rule?.hasBody && { hasBody: true }),
  })
  return `${text},"request":${method.input.name},"response":${method.output.name}}`
}

const localName = (name) => name[0].toLowerCase() + name.slice(1)

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-wire',
    version: 'v1',
    generateTs: (schema) => {
      const services = servedServices(schema)
      const methods = services.flatMap((service) =>
        service.methods.filter(({ methodKind }) => methodKind === 'unary'),
      )
      const messages = inOrder(methods.flatMap(({ input, output }) => [input, output]))
      refuseUnknown(messages)
      refuseKind('value', inOrder(methods.map(({ input }) => input)), 'a request')
      refuseKind('mask', inOrder(methods.map(({ output }) => output)), 'a response')
      const enums = new Set(
        [...messages].flatMap(({ fields }) => fields.flatMap((field) => field.enum ?? [])),
      )
      const output = schema.generateFile('wire.ts')
      output.print('// Generated by .ci/protoc-gen-wire.mjs from the .proto files. Do not edit.')
      output.print('')
      output.print(TYPES)
      for (const choice of enums) {
        output.print(`export const ${choice.name}: readonly WireEnumValue[] = [`)
        for (const value of choice.values.map(enumValueOf(choice)))
          output.print(`  ${JSON.stringify(value)},`)
        output.print(']')
      }
      for (const message of messages) {
        const head = openText({ name: message.name })
        output.print(`export const ${message.name}: WireMessage = ${head},"fields":[`)
        for (const field of message.fields) output.print(`  ${fieldText(field)},`)
        output.print(']}')
      }
      for (const service of services) {
        const unary = methods.filter(({ parent }) => parent === service)
        const names = unary.map(({ name }) => `'${localName(name)}'`).join(' | ')
        const type = `Readonly<Record<${names}, WireMethod>>`
        output.print(`export const ${localName(service.name)}: ${type} = {`)
        for (const method of unary)
          output.print(`  ${localName(method.name)}: ${methodText(method)},`)
        output.print('}\n')
      }
      const ours = services.filter(({ typeName }) => typeName.startsWith('claviger.'))
      output.print('/** The methods of all services but that of health. */')
      output.print('export const methods: readonly WireMethod[] = [')
      for (const { name } of ours) output.print(`  ...Object.values(${localName(name)}),`)
      output.print(']')
    },
  }),
)
