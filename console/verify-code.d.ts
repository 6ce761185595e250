/** The address of the functions of that page, by language: `codeOfVerify` in vite.config.ts takes them out. */
declare module '*/docs/verify.md' {
  const address: string;
  export default address;
}
