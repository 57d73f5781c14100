/** Written by the build from the contract: method, path and whether a key makes it safe to repeat. */
declare module "virtual:operations" {
  const operations: Readonly<Record<string, readonly [method: string, path: string, keyed: 0 | 1]>>
  export default operations
}

declare module "*.css"
