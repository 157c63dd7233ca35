/** Where WeCom's callbacks come in, as the router writes it. */
export const CALLBACK_PATH = 'wecom/callbacks';
export const CALLBACK_ROUTE = `/${CALLBACK_PATH}/:app`;
