import * as z from 'zod/mini'

/** Parts of the OpenAPI document that only the host knows, each as in OpenAPI 3.1. */
export interface OpenApiOptions {
  /** How callers authenticate, under names of your choice: letters, digits and `._-`. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined
  /**
   * What a call needs: all schemes of any one item, by name, with their required scopes. Default: any one of
   * `securitySchemes`.
   */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined
  /** Where the interface is served. Default: where the document is served. */
  readonly servers?: readonly OpenApiServer[] | undefined
}

/** A way to authenticate. Each type has its fields of OpenAPI, and no others. */
export interface SecurityScheme {
  /** Type of the scheme. */
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect'
  /** For people. */
  readonly description?: string | undefined
  /** For `apiKey`: the name of the header, cookie or parameter. */
  readonly name?: string | undefined
  /** For `apiKey`: where the key is sent. */
  readonly in?: 'cookie' | 'header' | 'query' | undefined
  /** For `http`: the scheme of `Authorization`, such as `bearer`. */
  readonly scheme?: string | undefined
  /** For `http` with the scheme `bearer`: the format, such as `JWT`. */
  readonly bearerFormat?: string | undefined
  /** For `oauth2`: its flows. */
  readonly flows?: OAuthFlows | undefined
  /** For `openIdConnect`: URL of its discovery document. */
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

/** The URLs and scopes of an OAuth 2 flow. */
export interface OAuthFlow {
  /** For `implicit` and `authorizationCode`. */
  readonly authorizationUrl?: string | undefined
  /** For every flow except `implicit`. */
  readonly tokenUrl?: string | undefined
  /** URL at which tokens are refreshed. */
  readonly refreshUrl?: string | undefined
  /** Descriptions by scope. */
  readonly scopes: Readonly<Record<string, string>>
}

/** A server of the interface. */
export interface OpenApiServer {
  /** Base URL of the paths; `{name}` stands for a variable. */
  readonly url: string
  /** For people. */
  readonly description?: string | undefined
  /** The variables of `url`. */
  readonly variables?: Readonly<Record<string, OpenApiVariable>> | undefined
}

/** A variable in a server's URL. */
export interface OpenApiVariable {
  /** All possible values. */
  readonly enum?: readonly string[] | undefined
  /** The default value. */
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

/** {@link OpenApiOptions} with every default in place. @throws TypeError that names the malformed field */
export const readOpenApiOptions = (options: OpenApiOptions | undefined): OpenApiOptions => {
  const read = Given.safeParse(options ?? {})
  if (!read.success) throw new TypeError(objectionOf(read.error))
  const { securitySchemes, servers } = read.data
  const known = Object.keys(securitySchemes ?? {})
  const { security = securitySchemes && known.map((name) => ({ [name]: [] })) } = read.data
  for (const [index, requirement] of security?.entries() ?? [])
    for (const name of Object.keys(requirement))
      if (!known.includes(name))
        throw new TypeError(
          `openApi.security[${index}].${name} must be one of openApi.securitySchemes`,
        )
  return { securitySchemes, security, servers }
}

const objectionOf = ({ issues }: z.core.$ZodError): string => {
  const [issue] = issues
  const steps = issue?.path.map((step) =>
    typeof step === 'number' ? `[${step}]` : `.${String(step)}`,
  )
  return `openApi${steps?.join('')}: ${issue?.message}`
}
