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
