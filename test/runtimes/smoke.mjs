// What every runtime has to do: the four operations of the specification, a secret, reads, a refusal and
// a subscription, on a store in memory and, where there is one, on SQLite.

/** @returns what was checked, a line each; throws at the first surprise */
export const smoke = async (claviger, openSqlite) => {
  const lines = [await checkStore('memory', claviger, { store: claviger.memoryEventStore() })]
  if (openSqlite) {
    const { close, ...opened } = openSqlite(':memory:')
    lines.push(await checkStore('SQLite', claviger, opened))
    await close()
  }
  return lines
}

const checkStore = async (name, { aesGcmCipher, createIam, toJson, toStatus }, opened) => {
  const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
  const secrets = aesGcmCipher({ current: 'k1', keys })
  const told = []
  const hooks = { onCall: ({ method, verdict }) => told.push(`${method} ${verdict}`) }
  const iam = createIam({ ...opened, secrets, authorize: () => true, hooks })
  const context = { caller: { userId: 'u1', orgId: 'acme' } }

  const { projectId } = unwrap(await iam.projects.add({ name: 'Portal' }, context))
  unwrap(
    await iam.projects.update({ id: projectId, name: 'Portal', hasProjectCheck: true }, context),
  )
  const role = { projectId, roleKey: 'editor/ü', displayName: 'Éditeur 🔑', group: 'content' }
  unwrap(await iam.projectRoles.add(role, context))
  const again = await iam.projectRoles.add(role, context)
  demand(again.isErr() && toStatus(again.error).code === 6, 'a key was taken twice')

  const oidc = { clientId: 'c1', issuer: 'https://accounts.example.com', scopes: ['openid'] }
  const added = unwrap(
    await iam.identityProviders.addOidc({ ...oidc, name: 'Idp', clientSecret: 'sésame' }, context),
  )
  const { idpId } = added
  unwrap(await iam.identityProviders.updateOidcConfig({ ...oidc, idpId, clientId: 'c2' }, context))
  const { clientSecret } = unwrap(
    await iam.identityProviders.revealClientSecret({ idpId }, context),
  )
  demand(clientSecret === 'sésame', 'the secret was lost')
  demand(!JSON.stringify(toJson(added)).includes('sésame'), 'an outcome shows the secret')

  const idp = unwrap(await iam.identityProviders.get({ idpId }, context))
  demand(idp.clientId === 'c2' && idp.details.creationDate instanceof Date, 'the read is wrong')
  const list = await iam.projectRoles.list(
    { projectId, filter: { roleKey: { contains: 'Ü', ignoreCase: true } } },
    context,
  )
  demand(unwrap(list).totalSize === 1, 'the list is wrong')
  const history = unwrap(await iam.history.list({}, context))

  const events = []
  for await (const { type } of iam.subscribe()) if (events.push(type) === 5) break
  demand(
    history.items.length === 5 && told.length === 10,
    `there are ${history.items.length} events`,
  )
  return `${name}: ${events.join(', ')}`
}

const demand = (holds, what) => {
  if (!holds) throw new Error(`Surprise: ${what}`)
}

const unwrap = (result) => {
  if (result.isErr())
    throw new Error(`Surprise: ${result.error.kind}`, { cause: result.error.cause })
  return result.value
}
