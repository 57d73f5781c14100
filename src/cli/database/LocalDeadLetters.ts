/** `corridor dlq` beside the database. */
import { Effect, Option } from "effect"
import { FromTime } from "../../contract/api/RequestFields.ts"
import { WebhookId, idOrNil, uuidOrNil } from "../../domain/Ids.ts"
import type { DeadLetterFilter } from "../../webhooks/delivery/DeadLetterStore.ts"
import { DeadLetters } from "../../webhooks/delivery/DeadLetters.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { decodeOption, refuse, type IdInput } from "../shared/CommandInput.ts"
import { onRecords, permitIn } from "../shared/LocalRecords.ts"
import { drawProgress } from "../shared/Terminal.ts"
import { autopsyText, letterTable, replayedText } from "../actions/DeadLetterActions.ts"
import { mapRefusal } from "../../platform/database/DatabaseFailure.ts"

const noSuchDelivery = (given: string) =>
  refuse(`There is no delivery with the id ${given} ("corridor dlq list" shows the dead ones).`)

const listAll = Effect.fn("Cli.listDeadLetters")(function* (
  org: Option.Option<string>,
  webhook: Option.Option<string>
) {
  const letters = yield* DeadLetters
  const permit = yield* permitIn("platform", org)
  const selection = { webhook_id: Option.getOrUndefined(Option.map(webhook, idOrNil(WebhookId))) }
  const data = yield* allPages(
    (window) => letters.list(permit, selection, window),
    (letter) => letter.delivery_id
  )
  return { data, ...letterTable(data, "URL", (at) => data[at]!.endpoint_url) }
})

export const list = (input: {
  readonly org: Option.Option<string>
  readonly webhook: Option.Option<string>
  readonly json: boolean
}) => onRecords(input.json, listAll(input.org, input.webhook))

const showOne = Effect.fn("Cli.showDeadLetter")(function* (given: string) {
  const letters = yield* DeadLetters
  const data = yield* letters
    .show(yield* permitFor("platform"), uuidOrNil(given))
    .pipe(mapRefusal(() => noSuchDelivery(given)))
  return { data, ...autopsyText(data) }
})

export const show = (input: IdInput) => onRecords(input.json, showOne(input.id))

interface Typed {
  readonly id: Option.Option<string>
  readonly all: boolean
  readonly webhook: Option.Option<string>
  readonly since: Option.Option<string>
}

/** Requires a selection: a command without options must not send everything. */
const selectionOf = Effect.fn("Cli.selectDeadLetters")(function* ({ all, id, since, webhook }: Typed) {
  const ways = [all, Option.isSome(id), Option.isSome(webhook)].filter((named) => named).length
  if (ways !== 1) return yield* refuse("Say which to replay: an ID, or --all, or --webhook ID with --since TIME.")
  if (Option.isSome(since) && Option.isNone(webhook)) return yield* refuse("--since goes together with --webhook.")
  const from = yield* Effect.transposeMapOption(since, (text) => decodeOption("--since", FromTime, text))
  const selection: DeadLetterFilter = {
    delivery_id: Option.getOrUndefined(Option.map(id, uuidOrNil)),
    webhook_id: Option.getOrUndefined(Option.map(webhook, idOrNil(WebhookId))),
    since: Option.getOrUndefined(from)
  }
  return selection
})

/** Refuses an unknown endpoint, whose dead letters would look like an empty queue. */
const checkWebhook = Effect.fn("Cli.checkWebhook")(function* ({ webhook }: Typed) {
  if (Option.isNone(webhook)) return
  const endpoints = yield* Webhooks
  const none = `--webhook: there is no webhook with the id ${webhook.value} ("corridor webhooks list" shows them).`
  yield* mapRefusal(endpoints.find(yield* permitFor("any"), idOrNil(WebhookId)(webhook.value)), () => refuse(none))
})

const replaySome = Effect.fn("Cli.replayDeadLetters")(function* (typed: Typed, selection: DeadLetterFilter) {
  yield* checkWebhook(typed)
  const letters = yield* DeadLetters
  const permit = yield* permitFor("platform")
  const data = yield* letters.replay(permit, selection, drawProgress)
  if (selection.delivery_id !== undefined && data.replayed + data.disabled === 0) {
    return yield* refuse(`No dead delivery has this id ("corridor dlq list" shows them).`)
  }
  return { data, text: replayedText(data) }
})

export const replay = (input: Typed & { readonly json: boolean }) =>
  Effect.flatMap(selectionOf(input), (selection) => onRecords(input.json, replaySome(input, selection)))
