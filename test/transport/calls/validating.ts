import type { Call, Details, JsonObject } from '../call.js'

/** What stands for the id of what was not added. */
const NO_IDS: Readonly<Record<string, JsonObject>> = {
  AddProject: { id: '' },
  AddOidcIdentityProvider: { idpId: '' },
}

/** A call that is only to tell what would change. */
export const validating = (make: (details: Details) => Call, details: Details = {}): Call => {
  const context = { ...details.context, dryRun: true } as never
  const call = make({ ...details, context })
  const [verb, path, body] = call.http
  const query = `${path.includes('?') ? '&' : '?'}validate_only=true`
  return {
    ...call,
    request: { ...call.request, validateOnly: true },
    http: body ? [verb, path, { ...body, validateOnly: true }] : [verb, `${path}${query}`],
    shape: ({ details: there, changed = null, changes = [], impact, warnings }) => ({
      ...(there !== undefined && { details: there }),
      ...NO_IDS[call.rpc.split('/')[1] ?? ''],
      planned: {
        changed,
        changes,
        ...(impact !== undefined && { impact }),
        ...(warnings !== undefined && { warnings }),
      },
    }),
  }
}
