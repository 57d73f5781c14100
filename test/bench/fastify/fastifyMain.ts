/** The hand-written server as a process, with Corridor's DATABASE_URL, DATABASE_POOL, PORT and CORRIDOR_MASTER_KEY. */
import { Pool } from "pg"
import { startCompletion } from "./Completion.ts"
import { fastifyServer } from "./Server.ts"

const pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  max: Number(process.env["DATABASE_POOL"]),
  application_name: "fastify"
})
const server = fastifyServer(pool, process.env["CORRIDOR_MASTER_KEY"]!)
const stopCompletion = startCompletion(pool)

process.once("SIGTERM", () => {
  void server
    .close()
    .then(stopCompletion)
    .then(() => pool.end())
    .then(() => process.exit(0))
})

await server.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" })
