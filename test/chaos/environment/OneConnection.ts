/** A PostgreSQL connection for one use. */
import { Client } from "pg"

export const connected = async <A>(
  url: string,
  use: (client: Client) => Promise<A>,
  connectionTimeoutMillis = 2_000
): Promise<A> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis })
  // Errors of a lost connection also fail the statement.
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
