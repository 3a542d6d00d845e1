import * as z from 'zod/mini'
import type { OpenApiOptions } from './openapi-options.js'

/** As `format: uri-reference` of JSON Schema has it. */
const address = z.string().check(z.regex(/^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i))

const text = z.string().check(z.minLength(1))
const description = z.optional(z.string())
const names = z.string().check(z.regex(/^[\w.-]+$/))

const flow = <Addresses extends z.core.$ZodShape>(addresses: Addresses) =>
  z.optional(
    z.strictObject({
      ...addresses,
      refreshUrl: z.optional(address),
      scopes: z.record(z.string(), z.string()),
    }),
  )

const flows = z.strictObject({
  implicit: flow({ authorizationUrl: address }),
  password: flow({ tokenUrl: address }),
  clientCredentials: flow({ tokenUrl: address }),
  authorizationCode: flow({ authorizationUrl: address, tokenUrl: address }),
})

const http = z
  .strictObject({
    type: z.literal('http'),
    description,
    scheme: text,
    bearerFormat: z.optional(z.string()),
  })
  .check(
    z.refine(({ scheme, bearerFormat }) => bearerFormat === undefined || /^bearer$/i.test(scheme), {
      path: ['bearerFormat'],
      error: 'Only for the scheme bearer',
    }),
  )

const scheme = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('apiKey'),
    description,
    name: text,
    in: z.enum(['cookie', 'header', 'query']),
  }),
  z.strictObject({ type: z.literal('mutualTLS'), description }),
  z.strictObject({ type: z.literal('oauth2'), description, flows }),
  z.strictObject({ type: z.literal('openIdConnect'), description, openIdConnectUrl: address }),
  http,
])

const server = z.strictObject({
  url: z.string().check(z.regex(/^\S+$/)),
  description,
  variables: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        enum: z.optional(z.array(z.string()).check(z.minLength(1))),
        default: z.string(),
        description,
      }),
    ),
  ),
})

const Given = z.strictObject({
  securitySchemes: z.optional(z.record(names, scheme)),
  security: z.optional(z.array(z.record(z.string(), z.array(z.string())))),
  // Relative to the document, which may be under a prefix.
  servers: z._default(z.array(server).check(z.minLength(1)), [{ url: '.' }]),
})

/** {@link OpenApiOptions} with every default in place. @throws TypeError that names the field which is bad */
export const readOpenApiOptions = (given: OpenApiOptions | undefined): OpenApiOptions => {
  const read = Given.safeParse(given ?? {})
  if (!read.success) throw new TypeError(objectionOf(read.error))
  const { securitySchemes, servers } = read.data
  const known = Object.keys(securitySchemes ?? {})
  const { security = securitySchemes && known.map((name) => ({ [name]: [] })) } = read.data
  for (const [index, requirement] of security?.entries() ?? [])
    for (const name of Object.keys(requirement))
      if (!known.includes(name))
        throw new TypeError(`openApi.security[${index}].${name} is none of openApi.securitySchemes`)
  return { securitySchemes, security, servers }
}

const objectionOf = ({ issues }: z.core.$ZodError): string => {
  const [issue] = issues
  const steps = issue?.path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  )
  return `openApi${steps?.join('')}: ${issue?.message}`
}
