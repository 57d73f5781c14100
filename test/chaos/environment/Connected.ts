/** A connection to PostgreSQL for one use, with which it ends. */
import { Client } from "pg"

export const connected = async <A>(
  url: string,
  use: (client: Client) => Promise<A>,
  connectionTimeoutMillis = 2_000
): Promise<A> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis })
  // It dies with the server: the statement under way tells of it.
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
