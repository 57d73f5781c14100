/**
 * How a command comes to its work: the code for it is loaded only then, so that a help text, or a call of a server's API,
 * does not wait for the whole service to be loaded.
 */
import { Effect, Option } from "effect"
import { refuse } from "./Input.ts"
import { Target } from "./Target.ts"

type Load<Work> = () => Promise<Work>
type Ran = Effect.Effect<unknown, unknown, unknown>

const later = <Work, Run extends Ran>(load: Load<Work>, run: (work: Work) => Run) =>
  Effect.flatMap(
    Effect.promise(load),
    (work): Effect.Effect<Effect.Effect.Success<Run>, Effect.Effect.Error<Run>, Effect.Effect.Context<Run>> =>
      run(work) as never
  )

/** By the API of the server that is named, and beside the database otherwise. */
export const eitherWay =
  <Api, Database>(api: Load<Api>, database: Load<Database>) =>
  <Run extends Ran>(run: (work: Api | Database) => Run) =>
    Effect.gen(function* () {
      const server = yield* (yield* Target).server
      return yield* Option.isSome(server) ? later(api, run) : later(database, run)
    })

/** What no server does for others. It must not do it to another database than the one that was meant. */
export const besideDatabase =
  <Database>(load: Load<Database>) =>
  <Run extends Ran>(run: (work: Database) => Run) =>
    Effect.gen(function* () {
      const { address, server } = yield* Target
      if (Option.isSome(address)) {
        return yield* refuse(
          `This command works beside the database only, not by API: leave --url out, and unset CORRIDOR_URL (${address.value}).`
        )
      }
      yield* server
      return yield* later(load, run)
    })

/** By API alone: of the server that is named, or of the sandbox that runs here. */
export const byApi =
  <Api>(load: Load<Api>) =>
  <Run extends Ran>(run: (work: Api) => Run) =>
    later(load, run)
