/** The port to whoever checks businesses. The built-in one takes every application and waits for its callback. */
import { Context, Effect, Layer } from "effect"
import { Ids } from "../../domain/Ids.ts"
import type { Organization } from "../organizations/Organization.ts"

export class KybProvider extends Context.Tag("corridor/KybProvider")<
  KybProvider,
  {
    /** Opens an application of its own every time, and answers with the id that the callbacks will name. */
    readonly open: (organization: Pick<Organization, "org_id" | "name" | "country" | "email">) => Effect.Effect<string>
  }
>() {
  static readonly layerBuiltIn = Layer.effect(
    KybProvider,
    Effect.map(Ids, (ids) => ({
      open: () => Effect.map(ids.next, (id) => `kyb_${id.replaceAll("-", "")}`)
    }))
  )
}
