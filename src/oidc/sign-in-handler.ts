import { checkOptions, FUNCTION, type KnownOptions, OBJECT, withMethods } from '../check-options.js'
import type { IamError } from '../index.js'
import { isLoopback } from '../network/address.js'
import { attemptCookie, attemptIn } from './attempt.js'
import type { BeginInput } from './input.js'
import {
  headOf,
  type NodeRequest,
  type NodeResponse,
  readForm,
  sendTo,
  withForm,
} from './node-exchange.js'
import type { OpenIdSignIn } from './open-id-sign-in.js'
import type { SignInPreview } from './preview.js'
import { previewPage } from './preview-page.js'
import type { ProviderIds } from './redirect-uri.js'
import { fromHost, invalid, Refused, type SignInRefusal } from './refusal.js'
import type { SignedIn } from './signed-in.js'

/** What `onSignedIn` returns: a response, or headers for the redirect to `returnTo`. */
export type AfterSignIn = Response | HeadersInit | undefined

/** Options of `signInHandler`. */
export interface SignInHandlerOptions {
  /** Where the handler is mounted, such as `/sign-in`. Callbacks lie below it. */
  readonly path: string
  /**
   * Starts your session. Returns headers, such as `set-cookie`, for the redirect to `returnTo`, or a response of its
   * own. An exception becomes the refusal `Unavailable`.
   */
  readonly onSignedIn: (user: SignedIn, request: Request) => AfterSignIn | Promise<AfterSignIn>
  /**
   * Returns the response to a refusal. Default: status 403 with the kind as text, and for `DraftSignedIn` status 200 with
   * the text "The sign-in works. Return to the other window."
   */
  readonly onRefused?:
    | ((refusal: SignInRefusal | IamError, request: Request) => Response | Promise<Response>)
    | undefined
  /** Project whose roles `onSignedIn` gets in `user.access`; needs the option `userIdOf` of `openIdSignIn`. */
  readonly projectId?: string | undefined
  /** Organization of the project, if it is not the provider's. */
  readonly projectOrgId?: string | undefined
  /** Lets your admins preview a sign-in. Absent: every preview is refused as `PermissionDenied`. */
  readonly preview?: PreviewOptions | undefined
}

/** Who may preview a sign-in, and how it is shown. */
export interface PreviewOptions {
  /**
   * Whether the session of this request is an admin of the organization. Called before a preview begins; anything but
   * `true` refuses it as `PermissionDenied`.
   */
  readonly permitted: (request: Request, provider: ProviderIds) => boolean | Promise<boolean>
  /**
   * Returns the page for the admin. Escape what it shows: the provider chose it. Default: a page that
   * shows it in the console, where it began there; JSON for programs.
   */
  readonly onPreviewed?:
    | ((preview: SignInPreview, request: Request) => Response | Promise<Response>)
    | undefined
}

/** Handles requests of fetch and of Node.js, and is an Express middleware. */
export interface SignInHandler {
  (request: Request): Promise<Response>
  (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): Promise<void>
}

/**
 * The routes of a sign-in:
 *
 * - `POST <path>` begins one. It takes a form with `email`, or with `orgId` and `idpId`, and optionally `returnTo`. It
 *   must come from a page of your own origin, so that no other site can sign a user in (login CSRF).
 * - `GET` below `<path>`, where the callbacks of `openIdSignIn` lie, finishes one, calls `onSignedIn` and redirects to
 *   `returnTo`, or to `/`.
 *
 * With the option `preview`, a form that also has the field `preview` begins a sign-in whose callback shows what came and
 * signs nobody in.
 *
 * The attempt is kept in the cookie `__Host-sign-in`. Browsers take it over https, and over http from `localhost`. Other
 * requests get status 404, or are left to `next`.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @example
 * const routes = signInHandler(signIn, {
 *   path: '/sign-in',
 *   onSignedIn: async ({ userId }) => ({ 'set-cookie': await sessions.start(userId) }),
 * })
 */
export const signInHandler = (
  signIn: Routes['signIn'],
  options: SignInHandlerOptions,
): SignInHandler => {
  checkOptions('signInHandler', { signIn, ...options }, OPTIONS)
  if (options.preview) checkOptions('signInHandler', options.preview, PREVIEW_OPTIONS)
  const routes = { signIn, options }
  const onFetch = async (request: Request): Promise<Response> =>
    (await respond(routes, request)) ?? page(404, 'Not found')
  const onNode = async (
    request: NodeRequest,
    response: NodeResponse,
    next?: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const head = headOf(request)
      const isOwn = routeOf(options, head) !== undefined
      if (!isOwn && next) return next()
      const answer = isOwn && (await respond(routes, await withForm(head, request)))
      await sendTo(response, answer || page(404, 'Not found'))
    } catch (thrown) {
      if (next) return next(thrown)
      await sendTo(response, page(500, 'Internal error'))
    }
  }
  return ((request: Request | NodeRequest, response?: NodeResponse, next?: () => void) =>
    response === undefined
      ? onFetch(request as Request)
      : onNode(request as NodeRequest, response, next)) as SignInHandler
}

const OPTIONS: KnownOptions = {
  required: {
    signIn: withMethods(['begin', 'finish', 'preview'], 'must be what openIdSignIn returns'),
    path: [
      (value) => typeof value === 'string' && /^(\/[\w.~-]+)+$/.test(value),
      'must be a path such as /sign-in',
    ],
    onSignedIn: FUNCTION,
  },
  optional: {
    onRefused: FUNCTION,
    projectId: [(value) => typeof value === 'string', 'must be text'],
    projectOrgId: [(value) => typeof value === 'string', 'must be text'],
    preview: OBJECT,
  },
}

const PREVIEW_OPTIONS: KnownOptions = {
  required: { permitted: FUNCTION },
  optional: { onPreviewed: FUNCTION },
  prefix: 'preview.',
}

interface Routes {
  readonly signIn: Pick<OpenIdSignIn, 'begin' | 'finish' | 'preview'>
  readonly options: SignInHandlerOptions
}

/** Undefined for a request that belongs to the host. */
const routeOf = (
  { path }: SignInHandlerOptions,
  { method, url }: Request,
): typeof begin | undefined => {
  const { pathname } = new URL(url)
  if (method === 'POST' && pathname === path) return begin
  return method === 'GET' && pathname.startsWith(`${path}/`) ? finish : undefined
}

/** Undefined for a request that belongs to the host. */
const respond = async (routes: Routes, request: Request): Promise<Response | undefined> => {
  const { options } = routes
  const handle = routeOf(options, request)
  if (!handle) return undefined
  try {
    return await handle(routes, request)
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown
    const { refusal } = thrown
    const refused = await options.onRefused?.(refusal, request)
    return withCookie(refused ?? refusedPage(refusal.kind))
  }
}

/** @throws Refused */
const begin = async ({ signIn, options }: Routes, request: Request): Promise<Response> => {
  if (!isOwnPage(request)) throw new Refused({ kind: 'ForeignPage' })
  const form = await readForm(request)
  const field = (name: string): string | undefined => form.get(name) || undefined
  const { projectId, projectOrgId } = options
  const choice = { email: field('email'), orgId: field('orgId'), idpId: field('idpId') }
  const isPreview = field('preview') !== undefined
  if (isPreview) await requirePermitted(options, request, choice)
  const purpose = isPreview
    ? { preview: true }
    : { returnTo: field('returnTo'), projectId, projectOrgId }
  // `begin` checks which of them are there.
  const begun = await signIn.begin({ ...choice, ...purpose } as BeginInput)
  if (begun.isErr()) throw new Refused(begun.error)
  const { url, attempt } = begun.value
  return withCookie(redirect(url), attempt)
}

/** @throws Refused */
const requirePermitted = async (
  { preview }: SignInHandlerOptions,
  request: Request,
  { orgId, idpId }: { readonly [Id in keyof ProviderIds]: string | undefined },
): Promise<void> => {
  if (orgId === undefined || idpId === undefined)
    throw invalid([{ field: 'preview', description: 'needs orgId and idpId' }])
  const permitted = await fromHost(() => preview?.permitted(request, { orgId, idpId }))
  if (permitted !== true)
    throw new Refused({ kind: 'PermissionDenied', permission: 'role_mapping.read', orgId })
}

/** @throws Refused */
const finish = async ({ signIn, options }: Routes, request: Request): Promise<Response> => {
  const attempt = attemptIn(request.headers.get('cookie'))
  const finished = await signIn.finish({ request, attempt })
  if (finished.isErr()) {
    if (!isOfPreview(finished.error)) throw new Refused(finished.error)
    const previewed = await signIn.preview({ request, attempt })
    if (previewed.isErr()) throw new Refused(previewed.error)
    return withCookie(await shown(options, previewed.value, request))
  }
  const user = finished.value
  const answer = await fromHost(() => options.onSignedIn(user, request))
  const signedIn = answer instanceof Response ? answer : redirect(user.returnTo ?? '/', answer)
  return withCookie(signedIn)
}

const isOfPreview = (error: SignInRefusal | IamError): boolean =>
  error.kind === 'AttemptMismatch' && error.field === 'preview'

/** @throws Refused */
const shown = async (
  { preview }: SignInHandlerOptions,
  previewed: SignInPreview,
  request: Request,
): Promise<Response> => {
  const own = await fromHost(() => preview?.onPreviewed?.(previewed, request))
  if (own) return own
  return previewPage(previewed, request)
}

/** Programs send neither header, and are refused: they have no browser to sign in. */
const isOwnPage = ({ headers, url }: Request): boolean => {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  const host = headers.get('host') ?? new URL(url).host
  if (origin === `https://${host}`) return true
  return origin === `http://${host}` && isLoopback(new URL(origin).hostname)
}

/** A response of the host may have headers that cannot be changed. */
const withCookie = (answer: Response, attempt?: string): Response => {
  const { status, statusText, body } = answer
  const headers = new Headers(answer.headers)
  headers.append('set-cookie', attemptCookie(attempt))
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  return new Response(body, { status, statusText, headers })
}

const redirect = (location: string, init?: HeadersInit): Response => {
  const headers = new Headers(init)
  headers.set('location', location)
  return new Response(null, { status: 303, headers })
}

const refusedPage = (kind: (SignInRefusal | IamError)['kind']): Response =>
  kind === 'DraftSignedIn'
    ? page(200, 'The sign-in works. Return to the other window.')
    : page(403, `Not signed in: ${kind}`)

const page = (status: number, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
