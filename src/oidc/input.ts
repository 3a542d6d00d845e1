import type { Violation } from '../index.js'
import { invalid } from './refusal.js'

/** Selects the provider by its ids, or by the e-mail address of the user. */
export type ProviderChoice =
  | {
      /** Organization of the provider. */
      readonly orgId: string
      /** Id of the provider. */
      readonly idpId: string
      /** Not with ids. */
      readonly email?: undefined
    }
  | {
      /** Not with an address, which determines it. */
      readonly orgId?: undefined
      /** Not with an address, which determines it. */
      readonly idpId?: undefined
      /** An address of a verified domain; also the default of `loginHint`. */
      readonly email: string
    }

/** Input of `begin`: a provider, and the purpose of the sign-in. */
export type BeginInput = ProviderChoice & {
  /** A hint for the provider about who is signing in, such as an address: 1 to 320 characters. */
  readonly loginHint?: string | undefined
  /** `prompt` of OpenID Connect, such as `login` or `select_account`: 1 to 100 characters. */
  readonly prompt?: string | undefined
  /**
   * The path to continue at after the sign-in; `finish` returns it. 1 to 1,000 printable ASCII characters as in a URL,
   * beginning with `/`, without `//` and `\`.
   */
  readonly returnTo?: string | undefined
  /**
   * Begins a sign-in for `preview`, which signs nobody in: also with an inactive provider. `finish` refuses its attempt.
   */
  readonly preview?: boolean | undefined
  /** Project whose roles `finish` returns; `InvalidArgument` without the option `userIdOf`. */
  readonly projectId?: string | undefined
  /** Organization of the project, if it is not the provider's. */
  readonly projectOrgId?: string | undefined
}

/** Input of `finish` and of `preview`: the URL, as text or in a request, and the attempt of `begin`. */
export type FinishInput = (
  | {
      /**
       * The URL that the provider sent the browser to. Only its query is used; also its path if `redirectUri` is a
       * function.
       */
      readonly url: string
      /** Not with `url`. */
      readonly request?: undefined
    }
  | {
      /** Not with `request`. */
      readonly url?: undefined
      /** The request that the browser came back with. Only its `url` is used, as above. */
      readonly request: {
        /** An absolute URL, or a path with query as in Node.js. */
        readonly url: string
      }
    }
) & {
  /** The attempt of `begin`. Undefined if the browser sent none: the sign-in is then refused. */
  readonly attempt: string | undefined
  /** Refuses attempts of another organization. */
  readonly orgId?: string | undefined
  /** Refuses attempts of another provider. */
  readonly idpId?: string | undefined
}

/** Input of `test`. */
export interface TestInput {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}

type FieldCheck = readonly [isValid: (value: unknown) => boolean, description: string]

const text = (most: number): FieldCheck => [
  (value) => typeof value === 'string' && value !== '' && value.length <= most,
  `must be text of 1 to ${most} characters`,
]

const isPath = (value: unknown): boolean =>
  typeof value === 'string' && /^\/[!-[\]-~]{0,999}$/.test(value) && !value.includes('//')

const BEGIN: Readonly<Record<string, FieldCheck>> = {
  orgId: text(200),
  idpId: text(200),
  email: text(320),
  loginHint: text(320),
  prompt: text(100),
  returnTo: [isPath, 'must be a path of 1 to 1000 characters of printable ASCII without // and \\'],
  preview: [(value) => typeof value === 'boolean', 'must be true or false'],
  projectId: text(200),
  projectOrgId: text(200),
}

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value, 'https://host.invalid')

const FINISH: Readonly<Record<string, FieldCheck>> = {
  url: [isUrl, 'must be a URL'],
  request: [(value) => isUrl(Reflect.get(Object(value), 'url')), 'must have a URL'],
  attempt: [() => true, ''],
  orgId: text(200),
  idpId: text(200),
}

/** @throws Refused */
export const checkBegin = (input: BeginInput): void => {
  const { email, orgId, idpId } = Object(input)
  const isByEmail = email !== undefined && orgId === undefined && idpId === undefined
  check(input, BEGIN, isByEmail ? [] : email === undefined ? ['orgId', 'idpId'] : ['email'])
  if (email !== undefined && !isByEmail)
    throw invalid([{ field: 'email', description: 'must not be given with orgId or idpId' }])
}

/** @throws Refused */
export const checkFinish = (input: FinishInput): void => {
  const { request } = Object(input)
  check(input, FINISH, request === undefined ? ['url'] : [])
}

/** @throws Refused */
export const checkTest = (input: TestInput): void =>
  check(input, { orgId: text(200), idpId: text(200) }, ['orgId', 'idpId'])

const check = (
  input: object,
  checks: Readonly<Record<string, FieldCheck>>,
  required: readonly string[],
): void => {
  const violations: Violation[] = []
  for (const field of Object.keys(Object(input)))
    if (!Object.hasOwn(checks, field))
      violations.push({ field, description: 'is not a field of this input' })
  for (const [field, [isValid, description]] of Object.entries(checks)) {
    const value = Reflect.get(Object(input), field)
    if (value === undefined && required.includes(field))
      violations.push({ field, description: 'is required' })
    if (value !== undefined && !isValid(value)) violations.push({ field, description })
  }
  if (violations.length > 0) throw invalid(violations)
}
