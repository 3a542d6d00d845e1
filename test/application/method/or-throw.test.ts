import { inspect } from 'node:util'
import { Hono } from 'hono'
import { err, errAsync } from 'neverthrow'
import { describe, expect, it } from 'vitest'
import {
  copyEvents,
  httpStatusOf,
  type IamError,
  IamFailure,
  memoryEventStore,
  orThrow,
  type SecretCipher,
  StoreFault,
  toStatus,
  verify,
} from '../../../src/index.js'
import {
  addSamples,
  context,
  forgetfulCipher,
  good,
  iamOn,
  newCipher,
  oidc,
  refusal,
  secret,
  start,
} from '../host.js'

/** What `call` throws or rejects with. */
const failureOf = async (call: () => unknown): Promise<IamFailure> => {
  const thrown: unknown = await Promise.resolve()
    .then(call)
    .catch((caught: unknown) => caught)
  expect(thrown).toBeInstanceOf(IamFailure)
  return thrown as IamFailure
}

describe('orThrow', () => {
  it('returns the value of a call, and of its result', async () => {
    const { iam } = start()
    const { projectId } = await orThrow(iam.projects.add({ name: 'Portal' }, context))
    const found = await iam.projects.get({ id: projectId }, context)
    expect(orThrow(found).name).toBe('Portal')
    expect(orThrow(found)).toBe(found._unsafeUnwrap())
  })

  it('rejects with the error of a call, and throws that of its result', async () => {
    const { iam } = start()
    const call = () => iam.projects.get({ id: 'portal' }, context)
    const error = await refusal(call())
    const result = await call()
    for (const failure of [
      await failureOf(() => orThrow(call())),
      await failureOf(() => orThrow(result)),
    ]) {
      expect(failure).toBeInstanceOf(Error)
      expect(failure.error).toEqual(error)
      expect(failure.status).toEqual(toStatus(error))
      expect(String(failure)).toMatch(
        /^IamFailure: NotFound \(NOT_FOUND\): The object does not exist: project portal\b/,
      )
    }
  })

  it('throws synchronously for a result', async () => {
    const { iam } = start()
    const result = await iam.projects.get({ id: 'portal' }, context)
    expect(() => orThrow(result)).toThrow(IamFailure)
  })

  it('has a stack that includes the caller that awaits it', async () => {
    const { iam } = start()
    const script = async () => {
      await orThrow(iam.projects.get({ id: 'portal' }, context))
    }
    expect((await failureOf(script)).stack).toMatch(/at (async )?script .*or-throw\.test\.ts/)
  })
})

describe('An IamFailure', () => {
  it('names every field that is malformed, and what it must be', async () => {
    const { iam } = start()
    const call = iam.projects.add({ name: '', id: '?' }, context)
    const { message, error } = await failureOf(() => orThrow(call))
    if (error.kind !== 'InvalidArgument') throw new Error(error.kind)
    const fields = error.violations.map(({ field, description }) => `${field} ${description}`)
    expect(fields).toHaveLength(2)
    expect(message).toBe(
      `InvalidArgument (INVALID_ARGUMENT): The request is malformed: ${fields.join('; ')}`,
    )
  })

  it('names the permission that is missing, in which organization, and for which object', async () => {
    const { iam } = start()
    const nobody = { caller: { userId: 'u1', orgId: 'acme', permissions: [] } }
    const { message } = await failureOf(() => orThrow(iam.projects.get({ id: 'p' }, nobody)))
    expect(message).toBe(
      'PermissionDenied (PERMISSION_DENIED): The caller lacks the permission: ' +
        'project.read in the organization acme for the project p',
    )
    // What a program reads, and the network shows, is as it was.
    const denied = (await iam.projects.get({ id: 'p' }, nobody))._unsafeUnwrapErr()
    expect(JSON.stringify(denied)).not.toContain('object')
    const all = await failureOf(() => orThrow(iam.projects.list({}, nobody)))
    expect(all.message).toMatch(/project\.read in the organization acme$/)
  })

  it('names what was not found, and says of a project how another owner is named', async () => {
    const { iam } = start()
    const grant = { userId: 'bob', projectId: 'portal', roles: [{ roleKey: 'editor' }] }
    const missing = await failureOf(() => orThrow(iam.userGrants.add(grant, context)))
    expect(missing.message).toBe(
      'NotFound (NOT_FOUND): The object does not exist: project portal. If another organization ' +
        'owns the project, name that organization with projectOrgId, if the method has that field',
    )
    await addSamples(iam)
    const role = { projectId: 'portal', roleKey: 'absent' }
    const absent = await failureOf(() => orThrow(iam.projectRoles.get(role, context)))
    expect(absent.message).toBe(
      'NotFound (NOT_FOUND): The object does not exist: project_role portal/absent',
    )
  })

  it('names the option that createIam misses, and the record that DNS misses', () => {
    const { message } = new IamFailure({ kind: 'NotConfigured', option: 'domains.isPublicSuffix' })
    expect(message).toMatch(/not configured for this: pass the option domains\.isPublicSuffix$/)
    const object = { type: 'domain', domain: 'acme.example' } as const
    const recordName = '_claviger-challenge.acme.example'
    const unproven = new IamFailure({ kind: 'ProofNotFound', object, recordName })
    expect(unproven.message).toMatch(new RegExp(`: publish it as the TXT record ${recordName}$`))
  })

  it('names the protected object, and the desired state that protects it', async () => {
    const { iam } = start()
    const projects = [{ id: 'portal', name: 'Portal' }]
    await good(iam.apply({ managedBy: 'code', protect: true, projects }, context))
    const refused = await failureOf(() => orThrow(iam.projects.remove({ id: 'portal' }, context)))
    if (refused.error.kind !== 'Protected') throw new Error(refused.error.kind)
    const { object, ...others } = refused.error
    expect(object).toEqual({ type: 'project', id: 'portal' })
    expect(others).toEqual({ kind: 'Protected', managedBy: 'code' })
    expect(refused.message).toBe(
      'Protected (FAILED_PRECONDITION): The object is protected. Only applying its desired state ' +
        'may change it: project portal, managedBy code',
    )
  })

  it('names the reasons why a user does not have an access', async () => {
    const { iam } = start()
    await addSamples(iam)
    const bob = { userId: 'bob', projectId: 'portal', permission: 'invoice.approve' }
    const denied = await failureOf(() => orThrow(iam.access.require(bob, context)))
    expect(denied.message).toBe(
      'AccessDenied (PERMISSION_DENIED): The user does not have this access: NoGrant',
    )
    expect(denied.status.details[0]).toMatchObject({
      reason: 'ACCESS_DENIED',
      metadata: { reasons: 'NoGrant' },
    })
    const elsewhere = { ...bob, projectId: 'absent' }
    const { message } = await failureOf(() => orThrow(iam.access.require(elsewhere, context)))
    expect(message).toMatch(/: ProjectNotFound\. If another organization owns .* projectOrgId/)
  })

  it('has as cause what the port threw', async () => {
    const cause = new StoreFault('the disk is full', 'not_recorded')
    const full = { ...memoryEventStore(), append: () => Promise.reject(cause) }
    const failure = await failureOf(() => orThrow(iamOn(full).projects.add({ name: 'n' }, context)))
    expect(failure.cause).toBe(cause)
    expect(failure.message).toMatch(/^Unavailable \(UNAVAILABLE\): /)
    expect(inspect(failure)).toContain('the disk is full')
    const refused = await failureOf(() => orThrow(errAsync<never, IamError>({ kind: 'Cancelled' })))
    expect('cause' in refused).toBe(false)
  })

  it('can be converted to JSON with any error', async () => {
    const error: IamError = { kind: 'SequenceMismatch', expected: 1n, actual: 2n }
    const failure = await failureOf(() => orThrow(errAsync<never, IamError>(error)))
    expect(JSON.parse(JSON.stringify(failure))).toEqual({
      name: 'IamFailure',
      status: toStatus(error),
    })
    expect(failure.error).toBe(error)
  })

  it('is an answer for a server that speaks fetch, which Hono sends', async () => {
    const { iam } = start()
    const app = new Hono().get('/', async (c) => {
      await orThrow(iam.projects.get({ id: 'portal' }, context))
      return c.text('found')
    })
    const answer = await app.request('/')
    const { status } = await failureOf(() => orThrow(iam.projects.get({ id: 'portal' }, context)))
    expect([answer.status, await answer.json()]).toEqual([404, status])
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  it('shows nothing secret', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const away = async () => Promise.reject(new Error('away'))
    const cipher: SecretCipher = { ...newCipher, seal: away, open: away }
    const failing = { ...store, append: away }
    const canary = { ...oidc, clientSecret: secret }
    const calls = [
      () => iam.identityProviders.addOidc({ ...canary, name: '' }, context),
      () => iam.identityProviders.addOidc({ ...canary, clientSecret: secret.repeat(20) }, context),
      () => iamOn(failing).identityProviders.addOidc({ ...canary, idpId: 'other' }, context),
      () => iamOn(store, { secrets: cipher }).identityProviders.addOidc(canary, context),
      () => iam.identityProviders.addOidc({ ...canary, idpId: oidc.idpId }, context),
    ]
    for (const call of calls) {
      const failure = await failureOf(() => orThrow(call()))
      for (const shown of [inspect(failure, { depth: 9, showHidden: true }), failure.message])
        expect(shown).not.toContain(secret)
    }
  })
})

describe('httpStatusOf', () => {
  it('depends on the kind of an error, or on the code of a status', () => {
    const error: IamError = { kind: 'PermissionDenied', permission: 'project.read', orgId: 'acme' }
    expect(httpStatusOf(error)).toBe(403)
    expect(httpStatusOf(toStatus(error))).toBe(403)
    expect(httpStatusOf({ code: 2 })).toBe(500)
  })
})

describe('A function that reads a whole log', () => {
  it('fails with an error that has a status and the fault', async () => {
    const { store, iam } = start()
    await addSamples(iam)
    const forgetful = iamOn(store, { secrets: forgetfulCipher })
    const options = { secrets: forgetfulCipher }
    for (const look of [
      () => orThrow(forgetful.checkSecrets()),
      () => orThrow(verify(store, options)),
      () => orThrow(copyEvents(store, memoryEventStore(), options)),
    ]) {
      expect(await failureOf(look)).toMatchObject({
        status: { code: 13 },
        error: { kind: 'SealBroken', stream: 'identity_provider-acme+google' },
      })
    }
  })

  it('fails with the name of its code when the log was changed', () => {
    const changed = { origin: 'acme', size: 3, agreed: 0, isCut: false } as const
    const error = { kind: 'LogChanged', ...changed } as const
    expect(() => orThrow(err(error))).toThrow(/^LogChanged \(DATA_LOSS\): /)
    expect(toStatus(error).code).toBe(15)
    expect(httpStatusOf(error)).toBe(500)
  })

  it('throws for an object that is not an error of the library, and names its kind', () => {
    const foreign = [
      [new Error('x'), 'unknown'],
      [undefined, 'unknown'],
      [{ kind: 'toString' }, 'toString'],
      [{ kind: 'StateMismatch' }, 'StateMismatch'],
    ] as const
    for (const [error, kind] of foreign)
      for (const fail of [() => toStatus(error as never), () => orThrow(err(error) as never)])
        expect(fail).toThrow(
          new TypeError(`Not an error of a method of Iam: its kind is ${kind}`, { cause: error }),
        )
  })
})
