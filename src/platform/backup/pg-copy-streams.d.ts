/** The part of pg-copy-streams that backups use; the package has no types of its own. */
declare module "pg-copy-streams" {
  import type { Readable, Writable } from "node:stream"
  import type { Submittable } from "pg"

  export const to: (text: string) => Readable & Submittable
  export const from: (text: string) => Writable & Submittable
}
