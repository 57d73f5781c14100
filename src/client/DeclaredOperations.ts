/** The operations of the contract: method, path, and whether an idempotency key is accepted. */
import { HttpApi } from "@effect/platform"
import { Context, Option } from "effect"
import { Api } from "../contract/api/Api.ts"
import { MovesMoney } from "../contract/api/Operation.ts"

export interface Operation {
  readonly group: string
  readonly name: string
  readonly method: string
  /** With parameters as `:name`. */
  readonly path: string
  /** An Idempotency-Key makes it safe to retry. */
  readonly keyed: boolean
}

export const operations: ReadonlyArray<Operation> = (() => {
  const all: Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const keyed = Option.isSome(Context.getOption(endpoint.annotations, MovesMoney))
      all.push({ group: group.identifier, name: endpoint.name, method: endpoint.method, path: endpoint.path, keyed })
    }
  })
  return all
})()
