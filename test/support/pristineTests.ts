/**
 * Runs before every file. `layer` of @effect/vitest puts its own `effect` and `scoped` on the one `it` that all files of a
 * process share; without this a file would run on the clock and the services of whichever came before it.
 */
import { it, makeMethods } from "@effect/vitest"
import { onOwnClocks } from "./OwnClock.ts"

Object.assign(it, onOwnClocks(makeMethods(it).live))
