/** The hand-written server as a process: DATABASE_URL, DATABASE_POOL and PORT say what it works on, as for Corridor. */
import { Pool } from "pg"
import { startCompletion } from "./Completion.ts"
import { fastifyServer } from "./Server.ts"

const pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  max: Number(process.env["DATABASE_POOL"]),
  application_name: "fastify"
})
const server = fastifyServer(pool)
const stopCompletion = startCompletion(pool)

process.once("SIGTERM", () => {
  void server
    .close()
    .then(stopCompletion)
    .then(() => pool.end())
    .then(() => process.exit(0))
})

await server.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" })
