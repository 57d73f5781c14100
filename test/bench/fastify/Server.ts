/**
 * The four measured endpoints on Fastify and pg: compiled schemas, prepared statements, one statement for each
 * commit, no logging. Implements only what the benchmark sends.
 */
import Fastify, { type FastifyInstance } from "fastify"
import type { Pool } from "pg"
import { callerOf } from "./Caller.ts"
import { exchangeRate } from "./ExchangeRate.ts"
import { initiate } from "./Initiate.ts"
import { record, transactions } from "./Record.ts"
import {
  type InitiationBody,
  initiationAnswer,
  initiationBody,
  listAnswer,
  listQuery,
  rateAnswer,
  type RateQuery,
  rateQuery,
  recordAnswer,
  transactionParams
} from "./Schemas.ts"

/** `cursorKey` signs the cursors of lists. */
export const fastifyServer = (pool: Pool, cursorKey: string): FastifyInstance => {
  const server = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } } })

  server.setErrorHandler((error: Error & { readonly statusCode?: number; readonly code?: string }, request, reply) => {
    const statusCode = error.statusCode ?? 500
    return reply.status(statusCode).send({
      statusCode,
      error: error.code ?? "INTERNAL_ERROR",
      message: error.message,
      path: request.url
    })
  })

  server.post<{ Body: InitiationBody }>(
    "/v1/payments-init/initiate",
    { schema: { body: initiationBody, response: { 200: initiationAnswer } } },
    async (request) => initiate(pool, await callerOf(pool, request), request.body)
  )

  server.get<{ Params: { transaction_id: string } }>(
    "/v1/payments/transaction/:transaction_id",
    { schema: { params: transactionParams, response: { 200: recordAnswer } } },
    async (request) => record(pool, await callerOf(pool, request), request.params.transaction_id)
  )

  server.get<{ Querystring: { limit: string } }>(
    "/v1/transactions",
    { schema: { querystring: listQuery, response: { 200: listAnswer } } },
    async (request) => transactions(pool, await callerOf(pool, request), Number(request.query.limit), cursorKey)
  )

  server.get<{ Querystring: RateQuery }>(
    "/v1/organizations/admin/exchange-rate",
    { schema: { querystring: rateQuery, response: { 200: rateAnswer } } },
    async (request) => exchangeRate(pool, await callerOf(pool, request), request.query)
  )

  return server
}
