/** The part of pg's own utilities that a statement of ours needs; @types/pg leaves it out. */
declare module "pg/lib/utils.js" {
  const utils: {
    /** A value as PostgreSQL reads it. */
    readonly prepareValue: (value: unknown) => string | Buffer | null
  }
  export default utils
}
