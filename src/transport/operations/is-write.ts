import type { DescMethod } from '@bufbuild/protobuf'

/** Whether the rpc changes something. */
export const isWrite = ({ name }: DescMethod): boolean => !/^(Get|List|Check)/.test(name)
