//! `#[guarded]`, for every function and every block of methods that Python calls.

use proc_macro::TokenStream;
use quote::quote;
use syn::{
    Block, Error, ImplItem, Item, ReturnType, Signature, Type, parse_macro_input, parse_quote,
};

/// Turns a panic of a function, or of any method of a block, into the exception `mercer.InternalError`. What returns no
/// `PyResult` returns one from then on. It stands above `#[pyfunction]` and `#[pymethods]`.
#[proc_macro_attribute]
pub fn guarded(_: TokenStream, item: TokenStream) -> TokenStream {
    match parse_macro_input!(item as Item) {
        Item::Fn(mut function) => {
            guard(&mut function.sig, &mut function.block);
            quote!(#function).into()
        }
        Item::Impl(mut methods) => {
            for item in &mut methods.items {
                if let ImplItem::Fn(method) = item {
                    guard(&mut method.sig, &mut method.block);
                }
            }
            quote!(#methods).into()
        }
        other => {
            let text = "#[guarded] is for functions and for blocks of methods";
            Error::new_spanned(other, text).into_compile_error().into()
        }
    }
}

fn guard(signature: &mut Signature, block: &mut Block) {
    let is_result = matches!(&signature.output, ReturnType::Type(_, kind) if is_result(kind));
    *block = match is_result {
        true => parse_quote!({ crate::enter::guarded(move || #block) }),
        false => parse_quote!({ crate::enter::guarded(move || ::pyo3::PyResult::Ok(#block)) }),
    };
    if !is_result {
        signature.output = match &signature.output {
            ReturnType::Default => parse_quote!(-> ::pyo3::PyResult<()>),
            ReturnType::Type(_, kind) => parse_quote!(-> ::pyo3::PyResult<#kind>),
        };
    }
}

fn is_result(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "PyResult")
}
