/** What stops WeCom's retries: these seven letters, nothing before or after them. */
export const SUCCESS = 'success';
