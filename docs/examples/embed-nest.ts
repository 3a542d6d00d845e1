// The transport within a NestJS application, on Express.
import type { INestApplication, Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Iam } from 'claviger'
import { nodeHandler, type TransportOptions } from 'claviger/transport'

/** An application that has the controllers of `root` beside the paths of the transport. */
export const inNest = async (
  root: Type,
  iam: Iam,
  options: TransportOptions,
): Promise<INestApplication> => {
  const app = await NestFactory.create(root)
  // Before Nest adds its parsers of bodies, which it does when the application begins to listen.
  app.use(nodeHandler(iam, options))
  return app
}
