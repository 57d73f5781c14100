/** Every request example of the document is accepted: all of them, where the code samples run only the first. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { describeAccess } from "../../../src/domain/Access.ts"
import { ORG } from "../../../src/contract/openapi/CodeSamples.ts"
import { lookUp } from "../../payments/support/PaymentCalls.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"
import { examplesOf, fetchDocument, operationsOf } from "./DocumentedOperations.ts"

/** Ids of objects that do not exist here. */
const ID = "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88"

/** The user of all examples. */
const USER = "0199c2a4-7b14-7f52-b1c8-0d9e8f7a6b5c"

/** The beneficiary of all examples. */
const BENEFICIARY = "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"

/** The locked rate of all examples, from KES to USD. */
const LOCK = "0199c2a4-9e05-7d11-a2b3-c4d5e6f70819"

const platform = describeAccess("platform")

onServer("The request examples of the document", "memory", {}, (it) => {
  it.effect("are all accepted: none is 400", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const operations = operationsOf(yield* fetchDocument).filter(({ about }) => about.requestBody !== undefined)
      const create = operations.find(({ name }) => name === "POST /beneficiaries")
      const made = yield* post("/v1/beneficiaries", { ...acme.key }, examplesOf(create?.about.requestBody)[0])
      const { data } = bodyOf(made) as { readonly data: { readonly beneficiary_id: string } }
      const here = (text: string) =>
        text
          .replaceAll(ORG, acme.org_id)
          .replaceAll(USER, acme.userId("staff"))
          .replaceAll(BENEFICIARY, data.beneficiary_id)
      const refused: Array<string> = []
      let sent = 0
      for (const { about, method, name, path } of operations) {
        const caller = about.description?.includes(platform) === true ? admin : acme.key
        const target = here(
          path
            .replaceAll("{org_id}", ORG)
            .replaceAll(/\{\w+_id\}/g, ID)
            .replaceAll(/\{\w+\}/g, "name")
        )
        for (const example of examplesOf(about.requestBody)) {
          const { org_rate_id } = yield* lookUp("KES", "USD")
          const { status, text } = yield* send(`/v1${target}`, {
            method,
            headers: { "content-type": "application/json", "idempotency-key": randomUUID(), ...caller },
            body: here(JSON.stringify(example)).replaceAll(LOCK, org_rate_id)
          })
          sent += 1
          if (status === 400) refused.push(`${name}: ${text}`)
        }
      }
      expect(sent).toBeGreaterThan(60)
      expect(refused).toEqual([])
    })
  )
})
