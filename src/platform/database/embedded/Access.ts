/** What another user of this machine may do with a folder or file, read from owner, group and mode. */
import { Effect, type Option } from "effect"
import { stat } from "node:fs/promises"
import * as Path from "node:path"
import { attempt, type EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

export interface UserIds {
  readonly uid: number
  readonly gid: number
}

export const ENTER = 0o1
export const READ = 0o4

interface Guarded {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

export const allows = (guarded: Guarded, user: UserIds, bits: number): boolean => {
  const shift = guarded.uid === user.uid ? 6 : guarded.gid === user.gid ? 3 : 0
  return ((guarded.mode >> shift) & bits) === bits
}

const lineage = (folder: string): ReadonlyArray<string> => {
  const parent = Path.dirname(folder)
  return parent === folder ? [folder] : [...lineage(parent), folder]
}

/** The outermost folder on the way to `folder` (itself included) that `user` cannot pass. */
export const closedFolder = (
  folder: string,
  user: UserIds
): Effect.Effect<Option.Option<string>, EmbeddedPostgresError> =>
  Effect.findFirst(lineage(folder), (step) =>
    Effect.map(
      attempt(`look at ${step}`, () => stat(step)),
      (stats) => !allows(stats, user, ENTER)
    )
  )
