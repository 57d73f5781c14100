/** The connection of a client breaks, with an error of the network's. */
import type { Socket } from "node:net"
import type Pg from "pg"

export const breakOff = (client: Pg.PoolClient, code: string): void => {
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } }
  connection.stream.destroy(Object.assign(new Error(`read ${code}`), { code }))
}
