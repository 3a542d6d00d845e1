import { err, ok } from 'neverthrow'
import type * as z from 'zod/mini'
import type { ObjectDetails } from '../../domain/aggregate.js'
import { exists } from '../../domain/aggregate.js'
import {
  identityProviders,
  isSecretFor,
  sealedSecretIn,
} from '../../domain/identity-provider/aggregate.js'
import type { IdentityProviderCommand } from '../../domain/identity-provider/command-schemas.js'
import { IdpId, SealedSecret } from '../../domain/values.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { SecretOwner } from '../../ports/secret-cipher.js'
import type { Violation } from '../errors/errors.js'
import { Fault } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { targetOf } from '../method/input.js'
import { type Read, read, type Write, write } from '../method/method.js'
import { detailsOf } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'
import { fromPort, raceAbort } from '../waiting.js'
import { recordCommand, specOf } from '../writing/write-object.js'
import { AddOidcInput, type IdentityProviderIds } from './identity-provider-input.js'

export const addOidcIdentityProvider = (
  runtime: Runtime,
): Write<AddOidcInput, IdentityProviderIds> =>
  write(
    runtime,
    specOf(identityProviders, {
      method: 'identityProviders.addOidc',
      schema: AddOidcInput,
      isNew: true,
    }),
    async (call, { clientSecret: secret, ...input }) => {
      const idpId = input.idpId ?? IdpId.parse(runtime.newId())
      const sealed = seal(runtime, secret, { orgId: call.orgId, idpId })
      const data = { ...input, idpId, clientSecret: await raceAbort(sealed, call.signal) }
      const command = { type: 'AddOidcIdentityProvider', data } as const
      return recordSecret(runtime, call, { input, secret, command })
    },
  )

/** The input of a command of an existing provider, with a secret in plain text; empty for none. */
interface ChangeInput {
  readonly idpId: IdpId
  readonly clientSecret: string
  readonly issuer?: string | undefined
}

interface Change<Schema extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Schema
  readonly command: (
    data: Omit<z.output<Schema>, 'clientSecret'> & { readonly clientSecret?: SealedSecret },
  ) => IdentityProviderCommand
}

/** The method that changes an existing provider, and perhaps its secret. */
export const changeClientSecret = <Schema extends z.ZodMiniType<ChangeInput>>(
  runtime: Runtime,
  { method, schema, command }: Change<Schema>,
): Write<z.input<Schema>, IdentityProviderIds> =>
  write(
    runtime,
    specOf(identityProviders, { method, schema, isNew: false }),
    async (call, { clientSecret: secret, ...input }) => {
      if (secret === '')
        return recordSecret(runtime, call, { input, secret, command: command(input) })
      const sealed = seal(runtime, secret, { orgId: call.orgId, idpId: input.idpId })
      const data = { ...input, clientSecret: await raceAbort(sealed, call.signal) }
      return recordSecret(runtime, call, { input, secret, command: command(data) })
    },
  )

interface SecretCommand {
  readonly input: { readonly issuer?: string | undefined }
  /** The secret of the command in plain text; empty for none. */
  readonly secret: string
  readonly command: IdentityProviderCommand
}

const recordSecret = (
  runtime: Runtime,
  call: AdmittedCall,
  { input, secret, command }: SecretCommand,
) =>
  recordCommand(runtime, call, {
    aggregate: identityProviders,
    input,
    command,
    isNew: command.type === 'AddOidcIdentityProvider',
    ids: ({ idpId }): IdentityProviderIds => ({ idpId }),
    isSameSecret: (events) => recordsSecret(runtime, events, { orgId: call.orgId, secret }),
    warnings: () => issuerWarnings(input.issuer),
  })

/**
 * Seals a secret for one identity provider.
 * @throws Fault also when the cipher does not return a text: such an event could not be read again
 */
export const seal = (
  { secrets }: Runtime,
  secret: string,
  owner: SecretOwner,
): Promise<SealedSecret> =>
  fromPort(async () => SealedSecret.parse(await secrets.seal(secret, owner)))

/** Opens the secret of an identity provider. @throws Fault when it cannot be opened */
export const open = (
  { secrets }: Runtime,
  sealed: SealedSecret,
  owner: SecretOwner,
): Promise<string> =>
  fromPort(async () => {
    const opened = await secrets.open(sealed, owner)
    if (opened.isErr()) throw new Fault(opened.error)
    return opened.value
  })

/** Whether the secret in `events` of `orgId` is `secret`; when it is empty, whether they hold none. */
export const recordsSecret = async (
  runtime: Runtime,
  events: readonly KnownEvent[],
  { orgId, secret }: { readonly orgId: string; readonly secret: string },
): Promise<boolean> => {
  const sealed = events.map(sealedSecretIn).find(Boolean)
  if (!sealed || secret === '') return !sealed && secret === ''
  const { idpId, clientSecret } = sealed
  return (await open(runtime, clientSecret, { orgId, idpId })) === secret
}

/** A client secret in plain text. */
export interface RevealedSecret {
  /** 1 to 200 characters (code points), as given. */
  readonly clientSecret: string
  /**
   * Present when the secret was entered for an issuer of another origin: that issuer, empty if there was none. Never
   * send such a secret to the current issuer; ask the admin to enter it again.
   */
  readonly givenFor?: string
  /**
   * Details of the provider when the secret was read. `get` with the same `sequence` shows the provider that this
   * secret belongs to.
   */
  readonly details: ObjectDetails
}

/**
 * Decrypts the stored secret of a provider. Read models have no secrets, so it is read from the store, whatever
 * `consistency` says: the secret that was stored when the call began, or a later one.
 */
export const revealClientSecret = (
  runtime: Runtime,
): Read<{ readonly idpId: string }, RevealedSecret> =>
  read(
    runtime,
    {
      method: 'identityProviders.revealClientSecret',
      permissions: ['identity_provider.secret.read'],
      schema: identityProviders.ids,
      target: targetOf(identityProviders),
    },
    async ({ orgId }, { idpId }) => {
      const provider = await runtime.states.readLatest(identityProviders, orgId, { idpId })
      const { state } = provider
      if (!exists(state))
        return err({ kind: 'NotFound', object: { type: 'identity_provider', idpId } })
      const clientSecret = await open(runtime, state.clientSecret, { orgId, idpId })
      const details = detailsOf(provider, orgId)
      if (isSecretFor(state.issuer, state)) return ok({ clientSecret, details })
      return ok({ clientSecret, givenFor: state.secretIssuer, details })
    },
  )

const DISCOVERY = '.well-known/openid-configuration'

/** Why nobody could sign in with this issuer; empty without a mistake, and for a draft without an issuer. */
const issuerWarnings = (issuer = ''): readonly Violation[] => {
  if (issuer === '') return []
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const descriptions = [
    ...(url?.protocol === 'https:' ? [] : ['should be an https URL']),
    ...(url?.pathname.replace(/\/$/, '').endsWith(DISCOVERY)
      ? [`should not end with ${DISCOVERY}: enter the issuer that this document names`]
      : []),
  ]
  return descriptions.map((description) => ({ field: 'issuer', description }))
}
