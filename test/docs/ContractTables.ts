/** The tables of errors and events, from where the code has them. */
import { stringify } from "lossless-json"
import { openApiDocument } from "../../src/contract/openapi/OpenApiDocument.ts"
import { eventsAbout } from "../../src/contract/api/Events.ts"
import { testValues } from "../../src/contract/api/TestValues.ts"
import { codeMeanings } from "../../src/contract/openapi/Errors.ts"
import { type EventType, eventTypes } from "../../src/domain/EventTypes.ts"
import { codes } from "../../src/domain/Failure.ts"
import { failureCodes, canCorrect, paymentStatuses, transitions } from "../../src/domain/PaymentStatus.ts"
import { table } from "./Table.ts"

const code = (text: string) => `\`${text}\``

export const codesTable = table(
  ["Code", "Status", "What it means"],
  Object.entries(codes).map(([name, status]) => [code(name), String(status), codeMeanings[name as keyof typeof codes]])
)

export const railsTable = table(["Value", "What happens"], testValues)

export const failuresTable = table(
  ["Code", "What it means"],
  Object.entries(failureCodes).map(([name, meaning]) => [code(name), meaning])
)

export const eventsTable = table(
  ["Type", "When it is sent"],
  eventTypes.map((type) => [code(type), eventsAbout[type].fires])
)

const arrows = paymentStatuses.flatMap((from) => {
  const to = transitions[from]
  return to.length === 0 ? [`${from} --> [*]`] : to.map((status) => `${from} --> ${status}`)
})

const corrections = paymentStatuses.flatMap((from) =>
  paymentStatuses.filter((to) => canCorrect(from, to)).map((to) => `${from} --> ${to}: operator, ramps only`)
)

export const statesDiagram = [
  "```mermaid",
  "stateDiagram-v2",
  ...["[*] --> initiated", ...arrows, ...corrections].map((line) => `  ${line}`),
  "```"
].join("\n")

/** One for each shape of data: the others of a kind differ in their words alone. */
const shown: ReadonlyArray<EventType> = [
  "payment.completed",
  "payment.failed",
  "payment.refunded",
  "virtual_account.deposit",
  "virtual_account.frozen",
  "kyb.approved",
  "kyc.approved"
]

const { webhooks } = openApiDocument("http://127.0.0.1:3000", "sandbox")

const payloadOf = (type: EventType): string =>
  stringify(webhooks[type]?.post.requestBody.content["application/json"].example, undefined, 2) ?? ""

export const payloads = shown
  .map((type) =>
    [`<!-- not run: the contract's own example, compared with it -->`, `\`\`\`json\n${payloadOf(type)}\n\`\`\``].join(
      "\n\n"
    )
  )
  .join("\n\n")
