import { err, ok, type Result, ResultAsync } from 'neverthrow'
import type { Context, Iam, IamError } from '../../../index.js'
import type { IdentityProviderTest, TestedIdentityProvider } from '../../options.js'
import { identityProviderService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import {
  getOperation,
  listOperation,
  type Operation,
  readOperation,
  writeOperation,
} from '../operation.js'

/** The operations of `IdentityProviderService`. */
export const identityProviderOperations = (
  iam: Iam,
  test: IdentityProviderTest | undefined,
): readonly Operation[] => {
  const { identityProviders, history } = iam
  return [
    writeOperation(identityProviderService.addOidcIdentityProvider, identityProviders.addOidc),
    writeOperation(identityProviderService.updateOidcConfig, identityProviders.updateOidcConfig),
    writeOperation(identityProviderService.updateIdentityProvider, identityProviders.update),
    writeOperation(identityProviderService.patchIdentityProvider, identityProviders.patch),
    writeOperation(
      identityProviderService.deactivateIdentityProvider,
      identityProviders.deactivate,
    ),
    writeOperation(
      identityProviderService.reactivateIdentityProvider,
      identityProviders.reactivate,
    ),
    writeOperation(identityProviderService.removeIdentityProvider, identityProviders.remove),
    getOperation(identityProviderService.getIdentityProvider, identityProviders.get),
    listOperation(identityProviderService.listIdentityProviders, identityProviders.list),
    historyOperation(
      identityProviderService.listIdentityProviderHistory,
      history,
      'identity_provider',
    ),
    pastOperation(identityProviderService.getIdentityProviderState, history, 'identity_provider'),
    testOperation(iam, test),
  ]
}

const SECRET_FOR_OTHER_ISSUER = {
  name: 'secret',
  verdict: 'failed',
  message: 'The client secret was set for another issuer: set it again.',
} as const

type Tested = Result<TestedIdentityProvider, IamError>

/** The operation that tests a provider. A fault of the provider is a finding, not an error. */
const testOperation = (iam: Iam, test: IdentityProviderTest | undefined): Operation => {
  const testing = async (idpId: string, context: Context): Promise<Tested> => {
    // A patch of nothing needs the permission and the provider that a test needs.
    const { caller, orgId, signal } = context
    const asked = { caller, orgId, signal, dryRun: true } as const
    const permitted = await iam.identityProviders.patch({ idpId }, asked)
    if (permitted.isErr()) return err(permitted.error)
    if (test === undefined) return err({ kind: 'NotConfigured', option: 'testIdentityProvider' })
    if (caller === undefined) return err({ kind: 'Unauthenticated' })
    const tested = await test({ orgId: caller.orgId, idpId })
    if (tested.isErr() && Reflect.get(Object(tested.error), 'kind') === 'SecretForOtherIssuer')
      return ok({ checks: [SECRET_FOR_OTHER_ISSUER] })
    if (tested.isErr()) throw new Error('testIdentityProvider failed', { cause: tested.error })
    return ok(tested.value)
  }
  return readOperation(
    identityProviderService.testIdentityProvider,
    ({ idpId }: { readonly idpId: string }, context) => new ResultAsync(testing(idpId, context)),
    ({ checks }) => ({ checks }),
  )
}
