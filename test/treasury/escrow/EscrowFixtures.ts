/** Escrows as callers use them over HTTP. */
import { Effect, Layer } from "effect"
import type { AccountId, EscrowId } from "../../../src/domain/Ids.ts"
import { ACCOUNTS, ask, dataOf, deposit, get, openAccount } from "../accounts/AccountFixtures.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { SqlClient, SqlError } from "@effect/sql"
import { StoresLive } from "../../../src/app/Stores.ts"
import { isDatabaseFailure } from "../../../src/domain/Failure.ts"
import { InTransaction, Transactor } from "../../../src/platform/database/Transactor.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import type { TestServerOptions } from "../../support/TestServer.ts"

export interface Milestone extends Readonly<Record<string, unknown>> {
  readonly milestone_id: string
  readonly status: string
  readonly covered_amount: number
  readonly funding_status: string
  readonly disbursed_total: number
  readonly parties: ReadonlyArray<{
    readonly party_id: string
    readonly split_type: string
    readonly split_value: number
  }>
}

export interface Party extends Readonly<Record<string, unknown>> {
  readonly party_id: string
  readonly name: string
  readonly balance: number
}

export interface Escrow extends Readonly<Record<string, unknown>> {
  readonly escrow_id: EscrowId
  readonly account_id: AccountId
  readonly status: string
  readonly total_amount: number
  readonly funded_amount: number
  readonly disbursed_amount: number
  readonly parties: ReadonlyArray<Party>
  readonly milestones: ReadonlyArray<Milestone>
}

type Body = Readonly<Record<string, unknown>>

const percentage = (name: string, split_value: number) => ({ name, split_type: "percentage", split_value })
const fixed = (name: string, split_value: number) => ({ name, split_type: "fixed", split_value })

export const foundation = {
  label: "Foundation",
  sequence: 1,
  expected_disbursement: 100.01,
  parties: [percentage("Builder", 66.6), percentage("Surveyor", 33.4)]
}

export const roof = {
  label: "Roof",
  sequence: 2,
  expected_disbursement: 200,
  parties: [fixed("Builder", 150), fixed("Surveyor", 50)]
}

/** 300.01 in two milestones, for two parties that have neither account nor beneficiary. */
export const draft = (account_id: string, about: Body = {}) => ({
  name: "Clinic",
  currency: "KES",
  account_id,
  parties: [{ name: "Builder" }, { name: "Surveyor" }],
  milestones: [foundation, roof],
  ...about
})

export const newAccount = (amount = 0, currency = "KES") =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const user_id = acme.userId("org-admin")
    const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id, currency })
    if (amount > 0) yield* deposit(acme.key, account_id, amount)
    return account_id
  })

export const create = (credential: Credential, body: Body) =>
  Effect.map(ask(credential, "/escrow", body), (answer) => dataOf<Escrow>(answer, 201))

/** Creates an escrow for an account that has so much on it. */
export const newEscrow = (deposited: number, about: Body = {}) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    return yield* create(acme.key, draft(yield* newAccount(deposited), about))
  })

export const act = (
  credential: Credential,
  { escrow_id }: Pick<Escrow, "escrow_id">,
  path: string,
  body: Body = {},
  headers: Readonly<Record<string, string>> = {}
) => ask(credential, `/escrow/${escrow_id}${path}`, body, headers)

export const fund = (credential: Credential, escrow: Pick<Escrow, "escrow_id">, amount: number) =>
  Effect.map(act(credential, escrow, "/fund", { amount }), (answer) => dataOf<Escrow>(answer))

export const milestonePath = ({ milestones }: Pick<Escrow, "milestones">, at: number, step: string) =>
  `/milestones/${milestones[at]!.milestone_id}/${step}`

export const disburse = (credential: Credential, escrow: Escrow, at: number, body: Body = {}) =>
  Effect.map(act(credential, escrow, milestonePath(escrow, at, "disburse"), body), (answer) =>
    dataOf<Milestone>(answer)
  )

export const escrowOf = (credential: Credential, { escrow_id }: Pick<Escrow, "escrow_id">) =>
  Effect.map(get(credential, `/escrow/${escrow_id}`), (answer) => dataOf<Escrow>(answer))

/** `body` as the bytes that are sent. */
export const putParties = (credential: Credential, escrow: Escrow, at: number, body: string) =>
  send(`${ACCOUNTS}/escrow/${escrow.escrow_id}${milestonePath(escrow, at, "parties")}`, {
    method: "PUT",
    headers: { ...credential, "content-type": "application/json" },
    body
  })

export const auditOf = (credential: Credential, action: string) =>
  Effect.map(send(`/v1/audit-log?limit=100&action=${action}`, { headers: { ...credential } }), (answer) =>
    dataOf<ReadonlyArray<{ readonly subject_id: string; readonly detail: Body }>>(answer)
  )

/** A server on PostgreSQL whose transactions are not tried again: a deadlock is a 500 there, not a delay. */
const transactorWithoutRetry = Layer.effect(
  Transactor,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.catchAll(sql.withTransaction(Effect.provideService(effect, InTransaction, true)), (error) =>
        error instanceof SqlError.SqlError || isDatabaseFailure(error) ? Effect.die(error) : Effect.fail(error)
      )
  }))
)

export const impatient: TestServerOptions = {
  stores: Layer.merge(StoresLive, transactorWithoutRetry).pipe(Layer.provide(TestDatabase)),
  variables: { DATABASE_POOL: "16" }
}
