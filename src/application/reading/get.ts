import { err, ok } from 'neverthrow'
import type * as z from 'zod/mini'
import type { AnyKind } from '../../domain/kinds.js'
import type { RefOf, Views, ViewType } from '../../ports/read-model.js'
import { type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { requireFed } from './require-fed.js'

/** What `get` needs of a kind. */
interface Readable<Type extends ViewType, Ids extends z.ZodMiniType>
  extends Pick<AnyKind, 'permissions' | 'target'> {
  readonly type: Type
  readonly ids: Ids
  ref(ids: z.output<Ids>): RefOf<Type>
}

/** Makes the method that reads one object of `kind`. */
export const get = <Type extends ViewType, Ids extends z.ZodMiniType>(
  runtime: Runtime,
  method: string,
  kind: Readable<Type, Ids>,
): Read<z.input<Ids>, Views[Type]> =>
  read(
    runtime,
    { method, permissions: [kind.permissions.read], schema: kind.ids, target: targetOf(kind) },
    async (call, ids) => {
      const object = kind.ref(ids)
      const found = await runtime.fresh.get<Type>(call, object)
      if (found) return ok(found)
      await requireFed(runtime, call)
      return err({ kind: 'NotFound', object })
    },
  )
