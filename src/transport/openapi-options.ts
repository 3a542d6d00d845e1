import * as z from 'zod/mini'

/** Parts of the document of the interface that the host alone knows, each as OpenAPI 3.1 has it. */
export interface OpenApiOptions {
  /** How callers authenticate, under names of the host's own: letters, digits and `._-`. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined
  /**
   * What a call needs: all schemes of any one item, by their names, each with the scopes that it must have. Any one
   * of `securitySchemes` when absent.
   */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined
  /** Where the interface is served; where the document is found when absent. */
  readonly servers?: readonly OpenApiServer[] | undefined
}

/** A way to authenticate. Each type has the fields that OpenAPI gives it, and no others. */
export interface SecurityScheme {
  /** What kind of scheme it is. */
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect'
  /** For people. */
  readonly description?: string | undefined
  /** Of `apiKey`: the name of the header, the cookie or the parameter. */
  readonly name?: string | undefined
  /** Of `apiKey`: where the key stands. */
  readonly in?: 'cookie' | 'header' | 'query' | undefined
  /** Of `http`: the scheme of `Authorization`, such as `bearer`. */
  readonly scheme?: string | undefined
  /** Of `http` with the scheme `bearer`: such as `JWT`. */
  readonly bearerFormat?: string | undefined
  /** Of `oauth2`. */
  readonly flows?: OAuthFlows | undefined
  /** Of `openIdConnect`: where its discovery is found. */
  readonly openIdConnectUrl?: string | undefined
}

/** The flows of OAuth 2 that are served. */
export interface OAuthFlows {
  /** An access token straight from the authorization endpoint; outdated. */
  readonly implicit?: OAuthFlow | undefined
  /** A token for a name and a password of a user; outdated. */
  readonly password?: OAuthFlow | undefined
  /** A token for a client, without a user. */
  readonly clientCredentials?: OAuthFlow | undefined
  /** A code from the authorization endpoint, exchanged for a token. */
  readonly authorizationCode?: OAuthFlow | undefined
}

/** Where a flow of OAuth 2 takes place. Each has the addresses that OpenAPI gives it. */
export interface OAuthFlow {
  /** Of `implicit` and `authorizationCode`. */
  readonly authorizationUrl?: string | undefined
  /** Of all but `implicit`. */
  readonly tokenUrl?: string | undefined
  /** Where tokens are refreshed. */
  readonly refreshUrl?: string | undefined
  /** What each scope means. */
  readonly scopes: Readonly<Record<string, string>>
}

/** A place where the interface is served. */
export interface OpenApiServer {
  /** Of what its paths go on from; `{name}` stands for a variable. */
  readonly url: string
  /** For people. */
  readonly description?: string | undefined
  /** The variables of `url`. */
  readonly variables?: Readonly<Record<string, OpenApiVariable>> | undefined
}

/** A variable of the address of a server. */
export interface OpenApiVariable {
  /** All values that it can have. */
  readonly enum?: readonly string[] | undefined
  /** Its value where none is chosen. */
  readonly default: string
  /** For people. */
  readonly description?: string | undefined
}

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
