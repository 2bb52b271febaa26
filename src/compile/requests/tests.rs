//! Every row of the tables of requests for every combination of types that it allows.

use std::collections::HashSet;
use std::time::Instant;

use super::*;
use grus_spirv::request::samples;
use grus_support::stack::on_stack;

fn request(name: &str, result: &str, params: &[&str]) -> Request {
    let params = params.iter().map(|&param| param.to_owned()).collect();
    Request { name: name.into(), result: result.into(), params, is_relaxed: false }
}

fn lowered(requests: &[Request]) -> Result<RequestedFunctions, Vec<RequestError>> {
    on_stack(grus_clc::STACK_SIZE, || lower_requests(requests, &Options::default())).expect("a stack")
}

#[test]
fn every_row_resolves_for_every_type() {
    let mut seen = HashSet::new();
    let all: Vec<_> = samples().into_iter().filter(|sample| seen.insert(sample.request.clone())).collect();
    let started = Instant::now();
    let mut failures = Vec::new();
    for batch in all.chunks(MAX_TOGETHER) {
        let requests: Vec<Request> = batch.iter().map(|sample| sample.request.clone()).collect();
        if let Err(errors) = lowered(&requests) {
            failures.extend(
                errors.into_iter().map(|error| format!("{}: {error}", batch[error.index].instruction)),
            );
        }
    }
    println!("{} requests in {:?}", all.len(), started.elapsed());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), all.len(), failures.join("\n"));
}
