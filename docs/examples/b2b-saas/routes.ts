// How a route of this product answers: with what a call of the library gave, or with why it did not.
import { type Caller, type Context, httpStatusOf, IamFailure, toJson } from 'claviger'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { type CallerOf, isAdmin } from './session.ts'

/** What a route does for a caller. */
export type Call = (
  context: Context & { readonly caller: Caller },
  request: Request,
) => Promise<unknown>

/** A sequence as JSON and headers write it; of anything else one that the library refuses, naming the field. */
export const sequenceIn = (text: string): bigint => (/^\d{1,20}$/.test(text) ? BigInt(text) : -1n)

/** What the page of a user was made from: nobody overwrites what they have not seen. */
const seen = (request: Request): bigint | undefined => {
  const tag = request.get('if-match')
  return tag === undefined ? undefined : sequenceIn(tag.replaceAll('"', ''))
}

/** Answers a user of a customer, in whose organization the call is made. */
export const forUsers =
  (callerOf: CallerOf) =>
  (call: Call): RequestHandler =>
  async (request, response) => {
    const caller = await callerOf(request.headers.cookie)
    if (!caller) throw new IamFailure({ kind: 'Unauthenticated' })
    const ofWrite = {
      expectedSequence: seen(request),
      idempotencyKey: request.get('idempotency-key'),
    }
    const context = { caller, ...(request.method !== 'GET' && ofWrite) } // a read refuses them
    response.json(toJson(await call(context, request))) // no secret is in what toJson makes
  }

/** Answers admins alone. */
export const forAdmins = (callerOf: CallerOf) => (call: Call) =>
  forUsers(callerOf)((context, request) => {
    if (isAdmin(context.caller)) return call(context, request)
    const { orgId } = context.caller
    throw new IamFailure({ kind: 'PermissionDenied', permission: 'project.write', orgId })
  })

/** The one place for errors, after all routes. */
export const answerErrors: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof IamFailure ? httpStatusOf(error.error) : 500
  if (status >= 500) console.error(error) // the cause is for you alone
  const { code, message, details } =
    error instanceof IamFailure ? error.status : { code: 13, message: 'Sorry', details: [] }
  response.status(status).json({ code, message, details })
}
