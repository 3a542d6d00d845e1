import { aesGcmCipher, createIam, type Hooks, type Iam } from 'claviger'
import { faultyReadModel, faultyStore } from './faulty.ts'
import type { Opened, Place } from './place.ts'

/** What every host seals with. */
export const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32) } })

/** How often something went otherwise than hoped for. */
export interface Troubles {
  conflicts: number
  faults: number
}

/** A program that has the log open. */
export interface Host extends Opened {
  /** On a store and a read model with faults. */
  readonly iam: Iam
  /** On the same ones without. */
  readonly sound: Iam
}

/** Starts a program on `place`. */
export const startHost = async (place: Place, troubles: Troubles): Promise<Host> => {
  const opened = await place.open()
  const { store, readModel } = opened
  const hooks: Hooks = {
    onConflict: () => troubles.conflicts++,
    onFault: () => troubles.faults++,
  }
  const rest = { secrets, authorize: () => true }
  const faulty = { store: faultyStore(store), readModel: faultyReadModel(readModel) }
  return {
    ...opened,
    iam: createIam({ ...rest, ...faulty, hooks }),
    sound: createIam({ ...rest, store, readModel }),
  }
}
