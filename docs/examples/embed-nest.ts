// Mounts the API in NestJS, on Express.
import type { INestApplication, Type } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Iam } from 'claviger'
import { nodeHandler, type TransportOptions } from 'claviger/transport'

/** An application with the API and the controllers of `root`. */
export const inNest = async (
  root: Type,
  iam: Iam,
  options: TransportOptions,
): Promise<INestApplication> => {
  const app = await NestFactory.create(root)
  // Before Nest adds its body parsers, when the application begins to listen.
  app.use(nodeHandler(iam, options))
  return app
}
