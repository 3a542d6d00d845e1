import { err, ok, type Result, ResultAsync } from 'neverthrow'
import type { SignInRoute } from '../../ports/read-model.js'
import { type IamError, invalid } from '../errors/errors.js'
import { catchFaults } from '../errors/fault.js'
import { isSignal } from '../method/admit.js'
import { readInput } from '../method/parse.js'
import { observed } from '../observing/observer.js'
import { requireFed } from '../reading/require-fed.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting/race-abort.js'
import { domainOfEmail, Route, type RouteInput, type RouteOptions } from './domain-input.js'

/** Finds the provider that the user of an e-mail address signs in with. */
export const route =
  (runtime: Runtime) =>
  (input: RouteInput, options?: RouteOptions): ResultAsync<SignInRoute | undefined, IamError> => {
    const { hooks } = runtime
    const find = () => catchFaults(() => findRoute(runtime, input, options))
    return new ResultAsync(hooks ? observed(hooks, 'domains.route', find) : find())
  }

const findRoute = async (
  runtime: Runtime,
  input: RouteInput,
  { signal, ...options }: RouteOptions = {},
): Promise<Result<SignInRoute | undefined, IamError>> => {
  const given = readInput(Route, { ...input, ...options })
  if (given.isErr()) return err(given.error())
  if (!isSignal(signal)) return err(invalid('signal', 'must be an AbortSignal'))
  const { email, consistency } = given.value
  const call = { consistency, signal }
  const domain = domainOfEmail(email)
  if (domain === undefined) return ok(undefined)
  const found = await raceAbort(runtime.fresh.route(call, domain), signal)
  if (!found) await requireFed(runtime, call)
  return ok(found)
}
