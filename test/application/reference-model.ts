import fc from 'fast-check'

/** A call of a write, as the model and the library both understand it. */
export interface Operation {
  readonly method: string
  readonly input: Readonly<Record<string, unknown>>
  readonly orgId: 'acme' | 'globex'
  /** Which of several processes it comes from. */
  readonly process: 0 | 1
  readonly idempotencyKey: string | undefined
  readonly expected: 'nothing' | 'right' | 'wrong'
  readonly dryRun: boolean
}

/** What became of a call: why it was refused, or what it did. */
export type Effect =
  | { readonly refused: string }
  | {
      readonly changed: boolean
      readonly events: number
      /** Position of the last event and of the first; absent for an object that is not there. */
      readonly sequence?: bigint
      readonly created?: bigint
    }

/** An object as the model keeps it. */
export interface Kept {
  readonly isThere: boolean
  readonly isActive: boolean
  readonly fields: Readonly<Record<string, unknown>>
  readonly created: bigint
  readonly sequence: bigint
}

// Few values each, so that calls often meet what an earlier one made.
const name = fc.constantFrom('n', 'm')
const projectId = fc.constantFrom('p', 'q')
const roleKey = fc.constantFrom('a', 'b', 'c')
const flag = fc.boolean()
const idpId = fc.constantFrom('i', 'j')
const secret = fc.constantFrom('s', 't')
const project = { id: projectId, name, hasProjectCheck: flag }
const shown = { roleKey, displayName: name, group: fc.constantFrom('', 'g') }
const role = { projectId, ...shown }
const config = { idpId, clientId: name, issuer: name }

const inputs: Readonly<Record<string, fc.Arbitrary<Operation['input']>>> = {
  'projects.add': fc.record(project),
  'projects.update': fc.record(project),
  'projects.deactivate': fc.record({ id: projectId }),
  'projects.reactivate': fc.record({ id: projectId }),
  'projects.remove': fc.record({ id: projectId }),
  'projectRoles.add': fc.record(role),
  'projectRoles.addMany': fc.record({
    projectId,
    roles: fc.uniqueArray(fc.record(shown), { minLength: 1, selector: (one) => one.roleKey }),
  }),
  'projectRoles.update': fc.record(role),
  'projectRoles.remove': fc.record({ projectId, roleKey }),
  'identityProviders.addOidc': fc.record({
    ...config,
    name,
    autoRegister: flag,
    clientSecret: secret,
  }),
  'identityProviders.updateOidcConfig': fc.record({
    ...config,
    clientSecret: fc.oneof(secret, fc.constant('')),
  }),
  'identityProviders.update': fc.record({ idpId, name, autoRegister: flag }),
  'identityProviders.deactivate': fc.record({ idpId }),
  'identityProviders.reactivate': fc.record({ idpId }),
  'identityProviders.remove': fc.record({ idpId }),
}

// Adding is as frequent as all the rest together, or nothing would ever be there.
const methods = Object.keys(inputs)
const adds = methods.filter((method) => method.includes('.add'))

/** Any call of any write. */
export const operations: fc.Arbitrary<Operation> = fc
  .oneof(fc.constantFrom(...methods), fc.constantFrom(...adds))
  .chain((method) =>
    fc.record({
      method: fc.constant(method),
      input: inputs[method] ?? fc.constant({}),
      orgId: fc.oneof(
        { weight: 4, arbitrary: fc.constant('acme' as const) },
        fc.constant('globex' as const),
      ),
      process: fc.constantFrom(0, 1),
      idempotencyKey: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        fc.constantFrom('k', 'l'),
      ),
      expected: fc.oneof(
        { weight: 6, arbitrary: fc.constant('nothing' as const) },
        fc.constantFrom('right' as const, 'wrong' as const),
      ),
      dryRun: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
  )

/** Changes of one object: `undefined` removes it. */
interface Change {
  readonly place: string
  readonly to: Omit<Kept, 'created' | 'sequence' | 'isThere'> | undefined
  readonly isNew?: boolean
}

/** What a plain program without events, versions, caches or races would do. */
export class ReferenceModel {
  readonly kept = new Map<string, Kept>()
  readonly #repeats = new Map<string, { readonly command: string; readonly effect: Effect }>()

  /** @param now - position of the first event, should any be recorded */
  perform(operation: Operation, now: bigint): Effect {
    const { method, input, orgId, idempotencyKey, dryRun } = operation
    if (operation.expected !== 'nothing' && method.includes('.add'))
      return { refused: 'InvalidArgument' }
    const decided = this.#decide(operation)
    const changes = typeof decided === 'string' ? [] : decided
    const key = idempotencyKey && `${orgId}+${idempotencyKey}`
    const command = JSON.stringify([method, input])
    const repeat = key === undefined ? undefined : this.#repeats.get(key)
    if (repeat && repeat.command !== command) return { refused: 'IdempotencyKeyReused' }
    if (repeat) return dryRun ? { changed: false, events: 0 } : repeat.effect
    if (dryRun) return this.#answer(operation, decided, now)

    changes.forEach(({ place, to, isNew }, index) => {
      const sequence = now + BigInt(index)
      const before = this.kept.get(place)
      const created = isNew ? sequence : (before?.created ?? 0n)
      const gone = { isActive: false, fields: {} }
      this.kept.set(place, { ...(to ?? gone), isThere: to !== undefined, created, sequence })
    })
    const effect = this.#answer(operation, decided, now)
    if (key !== undefined && changes.length > 0) this.#repeats.set(key, { command, effect })
    return effect
  }

  /** The object at `place`, when there is one; a role is nowhere without its project. */
  at(place: string): Kept | undefined {
    const found = this.kept.get(place)
    return found?.isThere ? found : undefined
  }

  #answer(
    { method, input, orgId }: Operation,
    decided: string | readonly Change[],
    _: bigint,
  ): Effect {
    if (typeof decided === 'string') return { refused: decided }
    const place = placesOf(method, input, orgId).at(-1) ?? ''
    const object = this.kept.get(place)
    const changed = { changed: decided.length > 0, events: decided.length }
    return object ? { ...changed, sequence: object.sequence, created: object.created } : changed
  }

  #decide(operation: Operation): string | readonly Change[] {
    const { method, input, orgId, expected } = operation
    const [, verb = ''] = method.split('.')
    if (method.startsWith('projectRoles') && !this.at(`${orgId}/project/${input['projectId']}`))
      return 'NotFound'
    const places = placesOf(method, input, orgId)
    if (verb.startsWith('add')) return this.#add(operation, places)
    const [place = ''] = places
    const object = this.at(place)
    if (!object) return 'NotFound'
    if (expected === 'wrong') return 'SequenceMismatch'
    const to = changedBy(verb, object, input)
    return to === object ? [] : [{ place, to }]
  }

  #add({ method, input }: Operation, places: readonly string[]): string | readonly Change[] {
    const isRole = method.startsWith('projectRoles')
    const isTaken = (place: string) =>
      (isRole ? this.at(place) : this.kept.get(place)) !== undefined
    if (places.some(isTaken)) return 'AlreadyExists'
    const { roles, ...common } = input
    const items: readonly object[] = Array.isArray(roles) ? roles : [input]
    return places.map((place, index) => ({
      place,
      to: { isActive: true, fields: { ...common, ...items[index] } },
      isNew: true,
    }))
  }
}

const changedBy = (
  verb: string,
  object: Kept,
  { clientSecret, ...input }: Operation['input'],
): Kept | undefined => {
  if (verb === 'remove') return undefined
  if (verb === 'deactivate') return object.isActive ? { ...object, isActive: false } : object
  if (verb === 'reactivate') return object.isActive ? object : { ...object, isActive: true }
  const fields = { ...object.fields, ...input, ...(clientSecret ? { clientSecret } : {}) }
  const isSame = Object.entries(input).every(([field, value]) => object.fields[field] === value)
  return isSame && !clientSecret ? object : { ...object, fields }
}

/** Where the objects of a call are kept. */
const placesOf = (method: string, input: Operation['input'], orgId: string): readonly string[] => {
  if (method.startsWith('projects.')) return [`${orgId}/project/${input['id']}`]
  if (method.startsWith('identity')) return [`${orgId}/provider/${input['idpId']}`]
  const items: readonly unknown[] = Array.isArray(input['roles']) ? input['roles'] : [input]
  return items.map((item) => {
    const key = String(Reflect.get(Object(item), 'roleKey'))
    return `${orgId}/role/${input['projectId']}/${key}`
  })
}
