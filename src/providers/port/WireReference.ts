/**
 * The name under which a third party knows an attempt. Several of them take nothing but a UUID of version 4, so that all of
 * them get one: the attempt's own id with another version in it. It is committed with the attempt, belongs to no other,
 * and leads back to it.
 */
import { nilUuid } from "../../domain/Ids.ts"

const VERSION_AT = 14

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const withVersion = (version: "4" | "7", id: string): string =>
  `${id.slice(0, VERSION_AT)}${version}${id.slice(VERSION_AT + 1)}`

export const wireReference = (attemptId: string): string => withVersion("4", attemptId)

/** Text that cannot be one of ours names nothing. */
export const attemptOfWire = (text: string): string => {
  const lower = text.toLowerCase()
  return shape.test(lower) ? withVersion("7", lower) : nilUuid
}
