// What our plugins of `buf generate` read from the .proto files.
import { getOption } from '@bufbuild/protobuf'
import { getComments } from '@bufbuild/protoplugin'

/** The services whose calls the transport answers in JSON too. */
export const servedServices = (schema) => {
  const all = schema.files.flatMap(({ services }) => [...services])
  return SERVICES.map((name) => all.find((service) => service.name === name))
}

/** In the order of the guide. */
const SERVICES = [
  'IdentityProviderService',
  'ProjectService',
  'ProjectRoleService',
  'ProjectGrantService',
  'UserGrantService',
  'DomainService',
  'RoleMappingService',
  'MembershipService',
  'SetupLinkService',
  'HistoryService',
  'AccessService',
  'Health',
]

/** The comment in front of a service, a method, a message or a field, as one line. */
export const descriptionOf = (desc) =>
  (getComments(desc).leading ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()

/** An extension that one of the files declares. */
const extensionOf = (file, name) => {
  const found = [file, ...file.dependencies]
    .flatMap(({ extensions, dependencies }) => [
      ...extensions,
      ...dependencies.flatMap((dependency) => dependency.extensions),
    ])
    .find(({ typeName }) => typeName === name)
  return found
}

const NO_RULES = { required: false, least: 0, most: 0, inQuery: false, omitEmpty: false }

/** What a field must be like. */
export const rulesOf = (field) => {
  const extension = extensionOf(field.parent.file, 'claviger.v1.rules')
  if (!extension) return NO_RULES
  const { required, size, inQuery, omitEmpty } = getOption(field, extension)
  const [, least = 0, most = 0] = (/^(\d+)\.\.(\d+)$/.exec(size) ?? []).map(Number)
  if (size !== '' && most < 1)
    throw new Error(`${field} has the size ${size}, and not such as 1..64`)
  const isRequired = required || (least > 0 && !field.proto.proto3Optional)
  return { required: isRequired, least, most, inQuery, omitEmpty }
}

/** Whether absent is another value than empty. */
export const isOptional = (field) => field.proto.proto3Optional || rulesOf(field).omitEmpty

const VARIABLE = /\{(\w+)\}/g

/** Where a method is found in plain HTTP; undefined without an annotation. */
export const httpRuleOf = (method) => {
  const http = extensionOf(method.parent.file, 'google.api.http')
  const { pattern, body } = http ? getOption(method, http) : { pattern: {} }
  if (pattern.value === undefined) return undefined
  const { fields } = method.input
  const names = [...pattern.value.matchAll(VARIABLE)].map(([, name]) => name)
  const rest = fields.filter(({ name }) => !names.includes(name))
  const hasBody = body === '*'
  return {
    method,
    verb: pattern.case.toUpperCase(),
    template: pattern.value,
    pathFields: names.map((name) => fields.find((field) => field.name === name)),
    queryFields: hasBody ? rest.filter((field) => rulesOf(field).inQuery) : rest,
    hasBody,
  }
}

/** What changes many objects by one call. */
const OF_ORGANIZATION = ['ApplyAccess', 'RemoveAllUserGrants']

/** What one call of a method changes. */
export const effectOf = ({ name, input }) => {
  if (OF_ORGANIZATION.includes(name)) return 'organization'
  return input.fields.some((field) => field.name === 'validate_only') ? 'command' : 'none'
}
